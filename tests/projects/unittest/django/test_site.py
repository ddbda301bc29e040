from django.test import SimpleTestCase, TestCase


class TestSite(SimpleTestCase):
    def test_red(self):
        self.assertEqual({"a": 1}, {"a": 2})

    def test_ok(self):
        pass


class TestDb(TestCase):
    def test_db(self):
        self.assertTrue(True)
