# Everything runs in the checkout's own virtual environment; the first call makes it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help setup demo test soak check format bench clean

help:            ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

setup: $(READY)  ## make the virtual environment and install foxir into it

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "foxir needs Python 3.11 or later; say which: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

demo: $(READY)   ## index the sample collection, run the sample topics, score the runs, print the table
	@$(BIN)/foxir demo

check: $(READY)  ## ruff and mypy
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

test: check      ## ruff, mypy and all tests
	@$(BIN)/pytest -n auto

soak: $(READY)   ## the long versions of the tests of trust (docs/guarantees.md)
	@FOXIR_SOAK=1 $(BIN)/pytest -n auto --dist worksteal tests/trust

format: $(READY) ## let ruff lay out the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(READY)  ## the speed table, beside named peers (bench/README.md)
	@$(BIN)/python bench/speed.py

clean:           ## remove what the commands above made
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache runs demo.foxir
