import os
import signal


def test_first():
    assert True


def test_dies():
    print("1 passed, 0 failed in 0.01s", flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)


def test_never():
    assert True
