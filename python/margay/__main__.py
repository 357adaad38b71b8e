"""The command `margay`, as `python -m margay` and as pip installs it: the same as the one that cargo installs."""

from __future__ import annotations

import os
import signal
import sys


def main() -> int:
    """Runs the command on the words of the command line."""
    from ._home import home
    from ._margay import command

    # The command does itself what is to be done on Ctrl-C; Python's handler would wait until it has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    name = os.path.basename(sys.argv[0])
    return command(["margay" if name == "__main__.py" else name, *sys.argv[1:]], *home())


if __name__ == "__main__":
    sys.exit(main())
