import unittest


class TestMain(unittest.TestCase):
    def test_red(self):
        with self.assertRaises(KeyError):
            {}["a"] = 1


if __name__ == "__main__":
    unittest.main()
