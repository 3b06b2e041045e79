# Two commands do everything: `make run` and `make test`. Both create .venv on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# What compiles itself at its first call does it here, once.
PREPARE := from dmlopt import registry; [registry.prepare(name) for name in registry.formulation_names()]

.PHONY: setup run figures experiments test test-long lint bench clean help

help:            ## this list
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 14

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/python -c "$(PREPARE)"
	@touch $@

setup: $(STAMP)  ## create .venv and install dmlopt with everything the tests need

run: $(STAMP)    ## the main comparison: tables on the terminal, report and figures under out/
	$(BIN)/dmlopt run experiments/main.toml --store out/main.db --workers 2 --fresh
	$(BIN)/dmlopt results out/main.db --table overview --group-by formulation,method
	$(BIN)/dmlopt report out/main.db --out out/report
	$(BIN)/python paper_figs/all.py

figures: $(STAMP)  ## every figure and table whose store is in out/, without running anything again
	$(BIN)/python paper_figs/all.py

experiments: $(STAMP)  ## every experiment of experiments/, going on where it was stopped
	for each in experiments/*.toml; do $(BIN)/dmlopt run $$each --workers 2 --resume || exit 1; done
	$(BIN)/python paper_figs/all.py

test: $(STAMP) lint  ## lint and the test suite (under 10 minutes on 2 cores)
	$(BIN)/python -m pytest -n 2 -m "not long" --benchmark-skip

test-long: $(STAMP)  ## the longer campaigns too
	$(BIN)/python -m pytest -n 2 --benchmark-skip --timeout 3600

lint: $(STAMP)   ## ruff, mypy --strict, import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(STAMP)  ## speed, as ratios against named rivals measured in the same run
	$(BIN)/python -m pytest tests/benchmarks --benchmark-only --timeout 3600 -s

clean:           ## remove everything that was made
	rm -rf $(VENV) out .pytest_cache .mypy_cache .ruff_cache .benchmarks build dist
