# make demo, make test: each does its own set-up (virtual environment, build) from a fresh clone
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: setup demo test lint types check clean

setup: $(VENV)/stamp

$(VENV)/stamp: pyproject.toml CMakeLists.txt $(wildcard kernels/*) $(wildcard tools/*)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@

demo: setup
	$(BIN)/toile demo -o demo

test: setup lint types
	$(BIN)/python -m pytest

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

clean:
	rm -rf build $(VENV) demo

# other programs that open our results, for the tests that prove it; tests of missing ones are skipped
.PHONY: readers
readers: setup
	-$(BIN)/pip install --quiet --disable-pip-version-check "usd-core>=25.5" "imageio-ffmpeg>=0.5"
	-$(BIN)/pip install --quiet --disable-pip-version-check "alembic3d>=1.8"
	-$(PYTHON) -m venv .venv-bpy && .venv-bpy/bin/pip install --quiet --disable-pip-version-check bpy
	-npm install --no-save --silent gltf-validator
