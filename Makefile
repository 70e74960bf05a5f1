# Everything runs in the checkout's own virtual environment; the first call makes it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# The tests start hundreds of processes: cached bytecode halves the time that each needs to import foxir.
unexport PYTHONDONTWRITEBYTECODE

# Installs extras of foxir, a dot every five seconds: $(call install,EXTRAS,WHAT IS INSTALLED AND HOW LONG THAT TAKES).
# uv takes a fifth of pip's time; pip does it where uv cannot, as it knows other settings, such as those of pip.conf.
install = @echo "installing $(2)"; \
  (while kill -0 $$$$ 2>/dev/null && sleep 5; do printf .; done) & dots=$$!; \
  trap 'kill $$dots 2>/dev/null; echo' EXIT; trap 'exit 130' INT TERM; \
  pip="$(BIN)/python -m pip install --quiet --disable-pip-version-check"; \
  { { test -x $(BIN)/uv || $$pip --no-compile 'uv>=0.5,<1'; } && \
    $(BIN)/uv pip install --quiet --python $(BIN)/python --reinstall-package foxir --editable '.[$(1)]'; } 2>/dev/null || \
  $$pip --editable '.[$(1)]'

# The tests that test-pythons runs with each interpreter, a minute or less on two cores; all of them: make test-pythons TESTS=tests
TESTS := tests/test_warnings.py tests/foxir/test_index.py tests/foxir/results/test_answers.py tests/foxir/test_sample_data.py \
  tests/foxir/commands/test_cli_commands.py tests/foxir/commands/test_cli_process.py tests/engine/query tests/engine/runs \
  tests/eval/measures/test_hixeval.py

# The tests of searches, which test-thorough runs without the compiled kernels, too.
SEARCHES := $(addprefix tests/engine/,answers explain planning presentation ranking sharded_search similarity structure thesis)

# Tests that are run with what Windows refuses refused, too: by test, and by test-thorough.
WINDOWS := tests/engine/system tests/engine/images/test_reading.py tests/eval/tuning/test_journal.py
WINDOWS_THOROUGH := tests/engine tests/eval/tuning tests/foxir/commands tests/trust
REFUSING := PYTHONPATH=tests/windows_like

# Whether test-cluster starts four nodes and kills them; empty for the short version.
CLUSTER := 1

# A comma in an argument of a function.
COMMA := ,

.PHONY: help setup style demo test test-thorough test-web pictures site site-version test-install wheels test-pythons test-emulated test-adapters test-cluster soak check format bench bench-tables clean

help:            ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:[^#]*## /\t/' | expand -t 16

setup: $(READY)  ## make the virtual environment and install foxir into it

$(READY): pyproject.toml hatch_build.py $(wildcard engine/kernels/*.[ch])
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "foxir needs Python 3.11 or later; say which: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	@echo "making a virtual environment in $(VENV) ($$($(PYTHON) --version))"
	@$(PYTHON) -m venv $(VENV)
	$(call install,dev,foxir and the packages it is developed with into $(VENV): a minute$(COMMA) most of it downloads)
	@touch $@

demo: $(READY)   ## index the sample collection, run the sample topics, score the runs, print the table
	@$(BIN)/foxir demo

style: $(READY)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

check: style     ## ruff and mypy
	@echo "mypy: a minute the first time$(COMMA) then seconds"
	@$(BIN)/mypy

test: style      ## ruff and all tests; mypy: make check
	@echo "all tests: some minutes on two cores"
	@$(BIN)/pytest -n auto --dist worksteal
	@echo "what Windows refuses, refused"
	@$(REFUSING) $(BIN)/pytest --quiet -n 0 $(WINDOWS)

test-thorough: $(READY)  ## tests of many cases with more of them, long ones, and searches without compiled kernels
	@FOXIR_THOROUGH=1 $(BIN)/pytest -n auto --dist worksteal tests/trust tests/engine tests/eval tests/foxir/test_threads.py
	@FOXIR_THOROUGH=1 $(BIN)/pytest -n auto --dist worksteal -m "hypothesis or thorough or long" tests/foxir tests/bench tests/installation tests/test_*.py
	@echo "searches without the compiled kernels"
	@FOXIR_PURE=1 $(BIN)/pytest -n auto --dist worksteal $(SEARCHES)
	@echo "what Windows refuses, refused"
	@$(REFUSING) $(BIN)/pytest -n auto --dist worksteal $(WINDOWS_THOROUGH)

test-install: $(READY)  ## install the wheel and the sdist into clean environments, run the demo there
	@$(BIN)/python -m tests.installation

wheels: $(READY)  ## build what is published, into dist/, and use it with the lowest versions of its dependencies
	@$(BIN)/python -m tests.installation.wheels

test-pythons: $(READY)  ## install the wheel with every supported Python that is found, run the demo and TESTS
	@$(BIN)/python -m tests.installation --all-pythons --from wheel --tests $(TESTS)

test-emulated: $(READY)  ## build the kernels for Linux on ARM and for Windows, run the demo and their tests under QEMU and Wine
	@$(BIN)/python -m tests.installation.emulated

test-adapters: $(READY)  ## test each adapter with its program, in a clean environment with its extra alone
	@$(BIN)/python -m tests.installation.adapters

test-cluster: $(READY)  ## install Ray, then test clusters on this machine: four nodes, some killed (CLUSTER= for a minute's worth)
	$(call install,cluster,Ray: a minute or two)
	@FOXIR_CLUSTER=$(CLUSTER) $(BIN)/pytest tests/foxir/cluster

test-web: $(READY)  ## the long tests of the pages in a real browser, with pictures of all of them in build/pages
	@FOXIR_WEB=1 FOXIR_THOROUGH=1 $(BIN)/pytest tests/foxir/service

pictures: $(READY)  ## write the picture of the README (needs Chromium)
	@$(BIN)/python -m tests.foxir.service.pictures

site: $(READY)   ## the documentation as a site with a search, in build/site; a broken link is an error
	$(call install,site,what makes the site: a minute)
	@PATH="$(abspath $(BIN)):$$PATH" NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

site-version: $(READY)  ## the same as one of the versions that a reader chooses, in the branch gh-pages
	$(call install,site,what makes the site: a minute)
	@export PATH="$(abspath $(BIN)):$$PATH" NO_MKDOCS_2_WARNING=1; \
	export GIT_COMMITTER_NAME="$$(git log -1 --format=%an)" GIT_COMMITTER_EMAIL="$$(git log -1 --format=%ae)"; \
	version="$$($(BIN)/python -c 'import foxir; print(foxir.__version__)')"; \
	$(BIN)/mike deploy --update-aliases "$$version" latest && $(BIN)/mike set-default latest

soak: $(READY)   ## the long versions of the tests of trust (docs/guarantees.md): progress, at the end what grew
	$(call install,soak,what the long tests need)
	@FOXIR_SOAK=1 $(BIN)/pytest -n auto --dist worksteal --verbose --durations=10 -rP tests/trust

format: $(READY) ## let ruff lay out the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(READY)  ## speed as ratios to named peers, and what has moved since it was recorded (RECORD=1 records it)
	$(call install,bench,the peers that are measured: a minute or two)
	@$(BIN)/python -m bench.ratios $(if $(RECORD),--record)

bench-tables: $(READY)  ## the long speed tables, beside named peers (bench/README.md)
	@$(BIN)/python -m bench.speed

clean:           ## remove what the commands above made
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache runs demo.foxir
