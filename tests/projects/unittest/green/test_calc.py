import unittest


class TestCalc(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(1 + 1, 2)

    def test_described(self):
        """Adds two numbers."""
        self.assertTrue(True)

    @unittest.skip("not here")
    def test_skipped(self):
        self.fail("never")

    @unittest.expectedFailure
    def test_known(self):
        self.assertEqual(1, 2)

    def test_sub(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertGreaterEqual(number, 0)
