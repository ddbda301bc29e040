import sys


def test_log():
    print("=== 2 failed, 1 passed in 0.03s ===")
    print("FAILED tests/test_x.py::test_y - assert 1 == 2", file=sys.stderr)


def test_1_failed():
    assert "3 failed" in "3 failed, 1 error in 2.5s"


def test_nested():
    import subprocess

    code = "import os\nassert os.environ.get('INNER'), 'inner test fails'\n"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "inner"],
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 1, code
