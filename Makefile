# Every target sets up what it needs in .venv; nothing has to be installed by hand but Python 3.11 or newer.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: train test test-all lint style lock browser shells torch test-learning test-faults coverage bench docs clean

train: .venv/.installed  ## train a rendezvous policy, draw its learning curve, render a video
	$(BIN)/swarmbed train rendezvous --preset quick

# Not run by this: the learning checks (test-learning), and tests/integration (test-all): what needs a browser, other
# processes or machines, other libraries and compilers, whole trainings, evaluations and experiments, the viewer's
# server, long compilations, the documentation's code.
# Types take most of a minute where mypy has no cache: they are checked beside the tests and reported after them.
test: .venv/.dev style  ## lint, types, import layers and the quick tests
	@types=$$(mktemp); $(BIN)/mypy >$$types 2>&1 & mypy=$$!; \
	$(BIN)/pytest -n 2 --dist loadfile --ignore tests/integration; failed=$$?; \
	wait $$mypy || failed=1; cat $$types; rm $$types; exit $$failed

test-all: .venv/.dev lint browser shells  ## the same and tests/integration: Chromium, processes, Ray, other libraries, experiments, documentation, wheel
	$(BIN)/pytest -n 2 --dist loadfile

lint: style
	$(BIN)/mypy

style: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/zizmor --offline --quiet .github/workflows

# What developers and CI can install to get the very same versions: pip install -r requirements-dev.txt
lock: .venv/.dev
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --no-emit-index-url --no-header --no-annotate --python-version 3.11 \
	  --extra dev --extra docs --extra all pyproject.toml --output-file requirements-dev.txt

# The tests of the viewer's page drive a real browser. Debian's is installed where it is missing and we may.
browser:
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
	  (apt-get update -qq && apt-get install -y -qq chromium chromium-driver >/dev/null) || \
	  echo "no Chromium: install chromium and chromium-driver to run the tests of the viewer's page" >&2

# Completion is tried in every shell that it is for.
shells:
	@command -v zsh >/dev/null && command -v fish >/dev/null || \
	  (apt-get update -qq && apt-get install -y -qq zsh fish >/dev/null) || \
	  echo "no zsh or no fish: completion is not tested there" >&2

# Stable-Baselines3, TorchRL and BenchMARL: gigabytes on most machines, so that only CI insists on their tests.
torch: .venv/.dev
	$(BIN)/python -m pip install --quiet torch==2.13.0 stable-baselines3 torchrl benchmarl

coverage: .venv/.dev browser  ## lines and branches that all tests reach
	$(BIN)/pytest -n 2 --dist loadfile --cov --cov-report=term:skip-covered

test-learning: .venv/.dev  ## the slow checks: does it learn? (one to two hours on two cores)
	$(BIN)/pytest -m slow -n 2 -rP

docs: .venv/.dev  ## the documentation site: build/site/index.html, readable without a server or a network
	$(BIN)/python docs/site/build.py

HOURS ?= 2
test-faults: .venv/.dev  ## crashes, failing disks, damage, kills, wrong input, hostile files and clients; memory over time
	cd tests && PYTHONPATH=. ../$(BIN)/python -m faults --hours $(HOURS) --json ../faults.json

bench: .venv/.installed  ## measure speed on this machine
	$(BIN)/swarmbed bench

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/.installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/.dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev,docs,view,interop,export,tensorboard,wandb,cluster]'
	touch $@ .venv/.installed

clean:
	rm -rf .venv
