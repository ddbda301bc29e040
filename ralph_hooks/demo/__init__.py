"""`ralph-hooks demo`: an agent that says "all tests pass" meets a suite that says otherwise."""
