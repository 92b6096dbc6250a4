# Every target sets up what it needs in .venv; nothing has to be installed by hand but Python 3.11 or newer.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: train test test-all lint browser test-learning coverage bench docs clean

train: .venv/.installed  ## train a rendezvous policy, draw its learning curve, render a video
	$(BIN)/swarmbed train rendezvous

# Not run by this: the learning checks (test-learning), and tests/integration (test-all): what needs a browser, other
# processes or machines, other libraries and compilers, whole experiments, the documentation's code.
test: .venv/.dev lint  ## lint, types, import layers and the quick tests
	$(BIN)/pytest -n 2 --dist loadfile --ignore tests/integration

test-all: .venv/.dev lint browser  ## the same and tests/integration: Chromium, processes, Ray, other libraries, experiments, documentation, wheel
	$(BIN)/pytest -n 2 --dist loadfile

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The tests of the viewer's page drive a real browser. Debian's is installed where it is missing and we may.
browser:
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
	  (apt-get update -qq && apt-get install -y -qq chromium chromium-driver >/dev/null) || \
	  echo "no Chromium: install chromium and chromium-driver to run the tests of the viewer's page" >&2

coverage: .venv/.dev browser  ## lines and branches that all tests reach
	$(BIN)/pytest -n 2 --dist loadfile --cov --cov-report=term:skip-covered

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
