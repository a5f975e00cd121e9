#!/bin/sh
# Runs every check, in a virtual environment of its own: linters, types, and all tests, the slow ones too.
# Options are those of pytest: `--share 1/4` runs a quarter of the slow tests. FLOPSHEET_VENV names another place for the
# environment than .venv.
set -eu
cd "$(dirname "$0")/.."
venv=${FLOPSHEET_VENV:-.venv}
[ -x "$venv/bin/python" ] || python3 -m venv --without-pip "$venv"
python3 -m pip --python "$venv/bin/python" install --quiet --disable-pip-version-check \
    --constraint .ci/constraints.txt --editable '.[dev]'
PATH="$venv/bin:$PATH"
ruff check
ruff format --check
mypy
pytest -n 2 -m "slow or not slow" "$@"
