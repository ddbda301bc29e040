import unittest


class TestCalc(unittest.TestCase):
    def test_ok(self):
        self.assertEqual(1 + 1, 2)

    def test_adds(self):
        print("OK (skipped=3)")
        self.assertEqual(1 + 1, 3, "the sum is wrong")

    def test_described(self):
        """Adds two numbers."""
        raise ValueError("boom")

    @unittest.skip("2 failed elsewhere")
    def test_skipped(self):
        self.fail("never")

    @unittest.expectedFailure
    def test_known(self):
        self.assertEqual(1, 2)

    @unittest.expectedFailure
    def test_fixed(self):
        self.assertEqual(1, 1)

    def test_sub(self):
        for number in range(4):
            with self.subTest("even", number=number):
                self.assertEqual(number % 2, 0)


class TestSetUp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise RuntimeError("set-up is broken")

    def test_never(self):
        self.fail("never")
