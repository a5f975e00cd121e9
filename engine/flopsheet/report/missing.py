"""The error of an optional package that is not installed."""

from __future__ import annotations

import shlex
import shutil
import sys
from importlib.util import find_spec

from flopsheet.errors import FlopsheetError


def not_installed(where: str, users: str, package: str) -> FlopsheetError:
    """Return the error of an optional package that is missing, with the command that installs it right here."""
    command = shlex.join([*installer("install"), package])
    return FlopsheetError(where, f"{users} need {package}, which is not installed.", f"Install it:\n{command}")


def installer(action: str) -> list[str]:
    """Return the command that installs packages into this environment, or does something else with them."""
    if find_spec("pip"):
        return [sys.executable, "-m", "pip", action]
    if shutil.which("uv"):
        return ["uv", "pip", action, "--python", sys.executable]
    return ["python3", "-m", "pip", "--python", sys.executable, action]  # for an environment without pip
