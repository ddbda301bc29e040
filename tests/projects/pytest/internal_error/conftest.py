def pytest_runtest_protocol(item, nextitem):
    raise KeyError("plugin bug")
