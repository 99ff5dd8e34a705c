# Two commands are all a newcomer needs: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

# With it each process compiles every module it imports, at every start.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run dev test test-fast test-all test-container collect fault deps web check format bench bench-recall bench-sessions bench-turns bench-pages bench-http eval-retrieval eval-everyday eval-sessions finetune finetune-reranker db spec schema lock clean env-run env-dev

help: ## Say what there is.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

run: web ## Run everything: Neo4j, the API, a demo. Ctrl-C stops it.
	@$(BIN)/prefrontal serve --demo

# One process for each core, at most four, on one Neo4j.
PYTEST := $(BIN)/pytest -n logical --maxprocesses 4 --dist loadscope

test: deps ## Run the tests that protect a change, on a real Neo4j; gets what it needs, or says what to install.
	@$(PYTEST) $(ARGS)

test-fast: env-dev ## Run what is quick: no processes, stopped servers, browsers.
	@$(BIN)/python scripts/get_nats.py
	@$(PYTEST) -m "not slow" $(ARGS)

test-all: deps ## Run everything, by group, unless it is green and unchanged: ARGS="faults browser", ARGS=--list.
	@$(BIN)/python -m scripts.test_all $(ARGS)

fault: env-dev ## Run the fault tests TIMES times in a row (10), with a table.
	@$(BIN)/python scripts/repeat_faults.py $(or $(TIMES),10) $(ARGS)

deps: env-dev ## Get what the tests need: packages, the built pages, Chromium, a NATS server, the encoder.
	@$(BIN)/python scripts/build_web.py --packages
	@$(BIN)/python scripts/get_chromium.py
	@$(BIN)/python scripts/get_nats.py
	@$(BIN)/python scripts/get_encoder.py

web: env-run ## Build the pages of web/, unless they are built from these sources.
	@$(BIN)/python scripts/build_web.py

test-container: env-dev ## Run a graph fixture on a container; brings an engine (Debian, root) and an image.
	@$(BIN)/python -m scripts.containers test $(ARGS)

collect: deps ## Import every test, so that the processes of `make test` find all of them compiled.
	@said=$$($(BIN)/pytest --collect-only -qq 2>&1) || { echo "$$said"; exit 1; }

check: env-dev ## Lint, types, imports, schema snapshot, specification.
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python scripts/export_schema.py --check
	@$(BIN)/python scripts/export_graph.py --check
	@$(BIN)/python scripts/export_registry.py --check
	@$(BIN)/prefrontal registry check
	@$(BIN)/python scripts/spec.py --quiet

format: env-dev ## Format the code.
	@$(BIN)/ruff check --fix -q . || true
	@$(BIN)/ruff format -q .

bench: env-dev ## Measure: p50, p95 and multiples of a Bolt RETURN 1, as a table and JSON.
	@$(BIN)/python -m bench $(ARGS)

bench-recall: env-dev ## Measure searches, contexts, ingest and bytes on disk at 1,000 and 10,000 memories.
	@$(BIN)/python -m bench.recall $(ARGS)

bench-sessions: env-dev ## Measure sessions of working memory, and finding related ones among 10 to 10,000.
	@$(BIN)/python -m bench.sessions_speed $(ARGS)

bench-turns: env-dev ## Measure a turn and its commit after 1, 1,000 and 10,000 turns, 32 agents at once, the relay.
	@$(BIN)/python -m bench.turns $(ARGS)

bench-pages: env-dev ## Measure what the workbench weighs, and how fast it draws 200, 1,000 and 2,000 nodes.
	@$(BIN)/python scripts/build_web.py
	@$(BIN)/python -m bench.pages $(ARGS)

bench-http: env-dev ## Measure requests per second with wrk, beside strawberry as it comes.
	@$(BIN)/python -m bench.load $(ARGS)

# A retrieval benchmark with its scorer; neither is part of this repository.
RETRIEVAL ?= ../shared/retrieval

eval-retrieval: env-dev ## Ask a retrieval benchmark's questions through the API, and score: RETRIEVAL=folder.
	@$(BIN)/python -m bench.retrieval $(RETRIEVAL)/dev/locomo_dev.json bench/results/retrieval $(ARGS)
	@for name in search context_1000 context_2000; do \
	  $(BIN)/python $(RETRIEVAL)/score.py $(RETRIEVAL)/dev/locomo_dev.json bench/results/retrieval/$$name.jsonl; done

eval-sessions: env-dev ## Replay conversations as sessions of working memory: held, linked, admitted.
	@$(BIN)/python -m bench.sessions $(wildcard $(RETRIEVAL)/dev/locomo_dev.json) $(ARGS)

eval-everyday: env-dev ## Ask the everyday questions through the API: found, ranked, silent.
	@$(BIN)/python -m bench.everyday $(ARGS)

finetune: env-dev ## Tune the models of the encoder: installs PyTorch (3 GB) into .venv, takes half an hour.
	@$(BIN)/uv pip install -q --require-hashes -r requirements/finetune.lock
	@$(BIN)/python -m bench.finetune $(ARGS)

finetune-reranker: env-dev ## Train the reranker, after `make finetune`: installs PyTorch (3 GB) into .venv, takes an hour.
	@$(BIN)/uv pip install -q --require-hashes -r requirements/finetune.lock
	@$(BIN)/python -m bench.finetune_reranker $(ARGS)

db: env-run ## Start Neo4j alone, in the background; `.venv/bin/prefrontal db stop` stops it.
	@$(BIN)/prefrontal db start

spec: env-dev ## Print which promises of docs/spec are kept, tested and open.
	@$(BIN)/python scripts/spec.py

schema: env-dev ## Write schema.graphql, the JSON Schema and what node classes say anew.
	@$(BIN)/python scripts/export_schema.py
	@$(BIN)/python scripts/export_graph.py
	@$(BIN)/python scripts/export_registry.py

lock: env-dev ## Write the lock files anew; UPGRADE=--upgrade takes the newest versions.
	@for kind in run dev finetune; do \
	  groups="--group build"; [ $$kind = run ] || groups="$$groups --group dev --extra multilingual"; \
	  [ $$kind != finetune ] || groups="$$groups --group finetune"; \
	  $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --extra traces \
	    $(UPGRADE) pyproject.toml $$groups -o requirements/$$kind.lock; done

clean: ## Delete the environment and caches; keeps .prefrontal with the data.
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

env-run:
	@$(PYTHON) scripts/bootstrap.py run

dev: env-dev ## Install what the tests need in Python.

env-dev:
	@$(PYTHON) scripts/bootstrap.py dev
