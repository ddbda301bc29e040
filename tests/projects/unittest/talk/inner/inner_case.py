import unittest


class TestInner(unittest.TestCase):
    def test_inner(self):
        self.fail("inner test fails")
