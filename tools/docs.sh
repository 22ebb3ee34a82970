#!/bin/sh
# Builds the documentation as a site into build/site, in an environment of its own.
# Usage: tools/docs.sh PYTHON (the site's pages of commands and functions come from .venv's toile)
cd "$(dirname "$0")/.." || exit 1
python=${1:-python3}
[ -x .venv-docs/bin/mkdocs ] || { "$python" -m venv .venv-docs && .venv-docs/bin/pip install --quiet \
    --disable-pip-version-check -r docs/requirements.txt || exit 1; }
.venv/bin/python tools/docs_pages.py build/docs || exit 1
.venv-docs/bin/mkdocs build --quiet || exit 1
echo "docs: build/site/index.html"
