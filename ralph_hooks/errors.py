"""Expected errors: one sentence that names the thing and the place, one hint with a command."""

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_BUG = 70
EXIT_INTERRUPTED = 130


class RalphError(Exception):
    """Something a person can fix. Everything else that is raised is a bug.

    `message` is one sentence; `hint` is what to type or do next; `exit_code` is what the process leaves with.
    """

    def __init__(self, message: str, hint: str = "", exit_code: int = EXIT_FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code

    def render(self) -> str:
        """The text for standard error, without a final newline."""
        return f"error: {self.message}" + (f"\nhint: {self.hint}" if self.hint else "")
