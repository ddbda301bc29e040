"""What is left behind for a bug report: a traceback in the state directory, ready to paste."""

from __future__ import annotations

import os
import sys
import time

from ralph_hooks import __version__, files, paths


def write_report(error: BaseException) -> str:
    """Write the traceback of `error`; its path, or "" when nothing can be written."""
    import traceback

    text = "".join(traceback.format_exception(error))
    head = f"ralph-hooks {__version__}, Python {sys.version.split()[0]}, {sys.platform}\nargv: {sys.argv[1:4]}\n\n"
    for directory in (paths.state_dir(), paths.spare_state_dir()):
        path = os.path.join(directory, "bugs", f"{int(time.time())}-{os.getpid()}.txt")
        try:
            files.write_atomic(path, (head + text).encode("utf-8", "replace"))
        except OSError:
            continue
        return path
    return ""
