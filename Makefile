# Each target is one command; every one does its own set-up.
SHELL := /bin/sh
BIN := .venv/bin

.PHONY: setup run test test-full lint bench-memory lock wheel clean

setup:
	@tools/setup.sh app

.PHONY: setup-dev
setup-dev:
	@tools/setup.sh dev

run: setup
	@exec $(BIN)/walissh up --demo-host

test: setup-dev
	@tools/test_packages.sh
	@$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(ARGS)

test-full: setup-dev
	@tools/test_packages.sh
	@$(BIN)/python -m pytest -m slow --timeout 900 $(ARGS)

lint: setup-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench-memory: setup-dev
	@$(BIN)/python bench/memory.py $(SETS)

.PHONY: bench-safety
bench-safety: setup-dev
	@$(BIN)/python bench/safety.py $(SETS)

.PHONY: bench-faults
bench-faults: setup-dev
	@$(BIN)/python bench/faults.py $(LAB) $(or $(ARGS),--product --healthy)

.PHONY: fuzz
fuzz: setup-dev
	@$(BIN)/pip install -q --require-hashes -r requirements/fuzz.txt
	@$(BIN)/python bench/fuzz.py $(or $(MINUTES),5)

lock: setup-dev
	@tools/lock.sh

wheel: setup-dev
	@$(BIN)/python -m build --wheel --no-isolation

clean:
	rm -rf .venv dist build
