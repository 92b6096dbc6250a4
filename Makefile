# Every target sets up what it needs in .venv; nothing has to be installed by hand but Python 3.11 or newer.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: train test lint test-learning bench docs clean

train: .venv/.installed  ## train a rendezvous policy, draw its learning curve, render a video
	$(BIN)/swarmbed train rendezvous

test: .venv/.dev lint  ## lint, types, import layering and all quick tests
	$(BIN)/pytest -n 2

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test-learning: .venv/.dev  ## the slow checks: does it learn? (one to two hours on two cores)
	$(BIN)/pytest -m slow -n 2 -rP

bench: .venv/.installed  ## measure speed on this machine
	$(BIN)/swarmbed bench

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/.installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/.dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev,view,interop,export,tensorboard,wandb,cluster]'
	touch $@ .venv/.installed

clean:
	rm -rf .venv
