"""Where the package's own driver lies, and how its command is started."""

from __future__ import annotations

import os
import sys


def home() -> tuple[str, list[str]]:
    """The folder of the driver, which not every package has, and the words that start the command."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"), [sys.executable, "-m", "margay"]
