import unittest


@unittest.skip("no database")
class TestAll(unittest.TestCase):
    def test_a(self):
        pass

    def test_b(self):
        pass
