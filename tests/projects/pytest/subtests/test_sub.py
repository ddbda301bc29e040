import unittest


def test_sub(subtests):
    for number in range(4):
        with subtests.test(msg="even", number=number):
            assert number % 2 == 0


def test_good_sub(subtests):
    with subtests.test():
        assert True


class TestOld(unittest.TestCase):
    def test_sub(self):
        for number in range(2):
            with self.subTest(number=number):
                self.assertEqual(number, 0)
