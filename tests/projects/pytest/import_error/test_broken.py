from missing_module import thing


def test_thing():
    assert thing
