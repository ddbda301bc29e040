def test_inner():
    assert 0, "inner test fails"
