import pytest


def add(a, b):
    return a - b


def test_ok():
    assert add(1, 0) == 1


def test_adds():
    assert add(1, 2) == 3, "the sum is wrong"


@pytest.mark.parametrize("text", ["a b", "x[1]", "é::ü", "a - b"])
def test_named(text):
    print("captured: 1 failed, 2 passed in 0.1s")
    assert text == "a b"


class TestClass:
    def test_method(self):
        raise ValueError("boom")


@pytest.fixture
def broken():
    raise RuntimeError("fixture is broken")


def test_uses_fixture(broken):
    pass


@pytest.fixture
def bad_teardown():
    yield
    raise RuntimeError("teardown is broken")


def test_teardown(bad_teardown):
    pass


@pytest.mark.xfail(strict=True, reason="must fail")
def test_strict():
    pass


@pytest.mark.skip(reason="2 failed elsewhere")
def test_skipped():
    pass
