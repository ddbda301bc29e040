import subprocess
import sys


def test_outer_one():
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "inner"], stdin=subprocess.DEVNULL, check=False
    )
    assert done.returncode == 0, "outer one fails"


def test_outer_two():
    assert 0, "outer two fails"
