def inner(value):
    if value > 2:
        raise KeyError("deep " + str(value))
    return inner(value + 1)


def test_chained():
    try:
        inner(0)
    except KeyError as error:
        raise ValueError("while handling") from error


def test_long_name_that_goes_over_the_width_of_the_terminal_and_then_some_more_to_be_quite_sure_of_it():
    assert inner(9)
