import pytest


def test_adds():
    assert 1 + 1 == 2


@pytest.mark.parametrize("text", ["a b", "x[1]", "é::ü", "a - b"])
def test_named(text):
    assert text


@pytest.mark.skip(reason="not here")
def test_skipped():
    raise AssertionError


@pytest.mark.xfail(reason="known bug")
def test_known():
    assert 1 == 2


@pytest.mark.xfail(reason="fixed meanwhile")
def test_fixed():
    assert True
