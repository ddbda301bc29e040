import warnings


def test_warns():
    warnings.warn("old thing: 4 failed")


def test_red():
    warnings.warn("old thing")
    left = {"a": 1, "b": [1, 2, 3]}
    assert left == {"a": 1, "b": [1, 2, 4]}
