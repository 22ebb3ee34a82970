# make demo, make test: each does its own set-up (virtual environment, build) from a fresh clone
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: setup demo test lint types readers clean

setup: $(VENV)/stamp

$(VENV)/stamp: pyproject.toml CMakeLists.txt $(wildcard kernels/*) $(wildcard tools/*.py)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@

demo: setup
	$(BIN)/toile demo -o demo

# the readers are fetched while the sources are checked: most of their time is waiting
test: setup
	$(MAKE) -j3 --output-sync lint types readers
	$(BIN)/python -m pytest

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

clean:
	rm -rf build $(VENV) .venv-bpy node_modules demo

# other programs that open our results, for the tests that prove it; tests of missing ones are skipped
readers: setup
	tools/readers.sh $(VENV) $(PYTHON)
