import os
import unittest


class TestExit(unittest.TestCase):
    def test_a(self):
        pass

    def test_b(self):
        os._exit(0)
