"""The error of an optional package that is not installed."""

from __future__ import annotations

import shlex
import shutil
import sys
from importlib.util import find_spec

from flopsheet.errors import FlopsheetError


def not_installed(where: str, users: str, package: str) -> FlopsheetError:
    """Return the error of an optional package that is missing, with the command that installs it right here."""
    python = shlex.quote(sys.executable)
    command = f"python3 -m pip --python {python} install {package}"  # for an environment without pip
    if find_spec("pip"):
        command = f"{python} -m pip install {package}"
    elif shutil.which("uv"):
        command = f"uv pip install --python {python} {package}"
    return FlopsheetError(where, f"{users} need {package}, which is not installed.", f"Install it:\n{command}")
