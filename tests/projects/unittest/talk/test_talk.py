import subprocess
import sys
import unittest


class TestTalk(unittest.TestCase):
    def test_1_failed(self):
        print("FAILED (failures=2)\nFAIL: test_x (test_y.TestZ)", file=sys.stderr)
        print("3 failed, 2 passed")

    def test_nested(self):
        done = subprocess.run(
            [sys.executable, "-m", "unittest", "inner.inner_case"], stdin=subprocess.DEVNULL, check=False
        )
        self.assertEqual(done.returncode, 1)
