def test_inner():
    assert 0, "inner test fails"


def test_inner_more():
    assert 0, "more inner"
