# Needs Python 3.11 or later and a package index; makes everything else.
PYTHON ?= python3
CONFIG ?= config/school-twin.yaml
BIN := .venv/bin

.PHONY: study test check kernels kernels-of-links tests test-long mutants oldest papers papers-national bench bench-national bench-outpatient bench-reconstruction bench-mechanism bench-linkage bench-lattice docs site site-links bundle lock clean
.DEFAULT_GOAL := study

study: .venv/run  ## the default study, offline, to results/STUDY/report/index.html
	$(BIN)/microleak run $(CONFIG)

# Parts run side by side, as tests of studies wait; the fewer, the less is loaded twice.
STUDIES := $(addprefix tests/, audit exports run workflow)
MEASURES := $(addprefix tests/, attacks oracles property protection study)
OTHERS := microleak benchmarks papers tests $(addprefix --ignore=, $(STUDIES) $(MEASURES))

# Tests of most kernels, which each part would compile otherwise.
OF_LINKS := $(addprefix tests/attacks/linkage/, test_linkage.py test_matching.py)
KERNELS := tests/kernels $(addprefix tests/attacks/, \
	mechanism/test_poisson_binomial.py \
	reconstruction/test_decoding.py table_rebuilding/test_controlled_rounding.py \
	smallest_protection/test_at_once.py smallest_protection/test_left_out.py)
WITHOUT_KERNELS := $(addprefix --ignore=, $(KERNELS) $(OF_LINKS))

test: .venv/test  ## all checks and tests, once each promise
	@$(MAKE) --jobs=6 --keep-going --output-sync check $(PARTS)

check: .venv/test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

kernels: .venv/test  ## tests of most kernels, which compile them once
	@$(BIN)/python -P -m microleak.run.ahead
	$(BIN)/pytest $(KERNELS)

kernels-of-links: .venv/test
	$(BIN)/pytest $(OF_LINKS)

PARTS := $(addprefix tests-of-, STUDIES MEASURES OTHERS)
.PHONY: $(PARTS)

tests: .venv/test
	@$(MAKE) --jobs=6 --keep-going --output-sync $(PARTS)

$(PARTS): kernels kernels-of-links

# Elsewhere no set is ordered twice, and one process for commands is enough.
tests-of-STUDIES: export HASH_SEEDS = 2 3

$(PARTS): export HASH_SEEDS ?= 2
$(PARTS): tests-of-%:
	$(BIN)/pytest -o cache_dir=.pytest_cache/$* $($*) $(WITHOUT_KERNELS)

test-long: .venv/test  ## the rest, and properties with all examples; 1,060 kills, 200 stops: hours
	PYTEST_ADDOPTS='-m "long or hypothesis" --hypothesis-profile=full' $(MAKE) tests
	$(BIN)/python -m tests.workflow.kills 60
	$(BIN)/python -m tests.workflow.stops 200

mutants: .venv/test  ## 500 faults put into the code, one at a time: do tests find them? Two hours of one core
	$(BIN)/python -m tests.mutants 300 numbers
	$(BIN)/python -m tests.mutants 200 around

OLDEST := .venv/oldest

oldest: .venv/run  ## examples of functions on frames with the oldest packages that they take, minutes
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(OLDEST)
	$(BIN)/uv pip install --quiet --python $(OLDEST)/bin/python \
	--resolution lowest-direct -e . "pytest>=9"
	NUMBA_CACHE_DIR=$(OLDEST)/numba $(OLDEST)/bin/python -m pytest \
	microleak/attacks/*/frames.py microleak/protection/frames.py microleak/records

PAPERS := nunes-2021 gonze-2025 rodrigues nepomuceno-2017 google-sdp

papers: .venv/test  ## the papers rerun beside what they print, to docs/papers/, an hour
	@for paper in $(PAPERS); do \
	$(BIN)/microleak run config/papers/$$paper.yaml && \
	$(BIN)/python -m papers $$paper || exit 1; done

papers-national: .venv/test  ## with the sizes of the country, to results/papers/, many hours
	@for paper in nunes-2021 gonze-2025; do \
	$(BIN)/python -m papers $$paper --country results/papers/$$paper.yaml && \
	$(BIN)/microleak run results/papers/$$paper.yaml && \
	$(BIN)/python -m papers $$paper --results results/$$paper-country \
	--pages results/papers || exit 1; done

bench: .venv/test  ## against peers, some minutes, to docs/performance-tables.md
	$(BIN)/python -m benchmarks small

bench-national: .venv/test  ## the same for 48 million students, an hour or two
	$(BIN)/python -m benchmarks national

bench-outpatient: .venv/test  ## for 112 million lines of procedure, half an hour
	$(BIN)/python -m benchmarks outpatient

bench-reconstruction: .venv/test  ## databases rebuilt, beside the paper's times and a peer, an hour
	$(BIN)/python -m benchmarks.reconstruction

bench-mechanism: .venv/test  ## what privacy loss and utility of a count take, a minute
	$(BIN)/python -m benchmarks.mechanism

bench-linkage: .venv/test  ## links without an identifier, beside Splink if it is installed, some minutes
	$(BIN)/python -m benchmarks.linkage $(if $(RECORDS),--records $(RECORDS))

bench-lattice: .venv/test  ## every node of a lattice, beside one group-by a node, some minutes
	$(BIN)/python -m benchmarks.lattice

docs: .venv/test  ## the schema of study files, types of functions, docs/pipeline.md, translations; to docs/made/, pages with all keys, columns and options
	$(BIN)/python -m microleak.study.load
	$(BIN)/python -m tests.contract.stub
	$(BIN)/python docs/site/made.py docs/made
	$(BIN)/python -m microleak.study.pipeline_page
	$(BIN)/pybabel --quiet compile -D microleak -d microleak/base/locale

SPHINX := $(BIN)/sphinx-build -q -W --keep-going -c docs/site -d site/doctrees

site: .venv/test  ## the documentation as site/html/index.html, with reports of example studies
	$(BIN)/python docs/site/examples.py site/html
	$(SPHINX) . site/html

site-links: .venv/test  ## are addresses outside the project still there? Needs a network
	$(SPHINX) -b linkcheck . site/links

# What Python compiled is kept, also where the environment says otherwise: a run starts
# dozens of processes, and each would compile all that it imports again.
unexport PYTHONDONTWRITEBYTECODE

# The environment comes from the locks, with hashes. What has no wheel is built by what
# envs/build.lock installs, so that a build fetches nothing. Installing the larger
# environment for tests brings the smaller one too. Python compiles what is imported, a
# small part of it. uv does in ten seconds what takes pip eighty; where it cannot, pip
# does it.
PIP := $(BIN)/python -m pip install --quiet --no-compile --no-build-isolation --use-pep517
LOCKED := --require-hashes -r
UV_INSTALL := UV_DEFAULT_INDEX="$${PIP_INDEX_URL:-$$UV_DEFAULT_INDEX}" \
	UV_INDEX="$${PIP_EXTRA_INDEX_URL:-$$UV_INDEX}" \
	UV_FIND_LINKS="$${PIP_FIND_LINKS:-$$UV_FIND_LINKS}" $(BIN)/uv pip install --quiet \
	--python $(BIN)/python --no-build-isolation $${PIP_NO_INDEX:+--no-index}
NO_INDEX := { echo "make: the packages of envs/*.lock could not be installed. Reach a \
	package index, or name one or a folder of wheels (PIP_INDEX_URL, PIP_FIND_LINKS), \
	and run make again." >&2; exit 1; }
INSTALL = $(UV_INSTALL) $(LOCKED) $(1) 2>/dev/null || \
	$(PIP) $(LOCKED) $(1) || $(NO_INDEX)

.venv/run: envs/build.lock envs/run.lock pyproject.toml
	@test "$$(uname -s)" = Linux || { echo "make: microleak needs Linux (WSL will do)." \
	>&2; exit 1; }
	@echo "make: installing the environment into .venv, which takes a minute or two"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(PIP) $(LOCKED) envs/build.lock || $(NO_INDEX)
	@$(call INSTALL,envs/run.lock)
	@$(PIP) --no-deps -e .
	@touch $@

.venv/test: envs/test.lock .venv/run
	@echo "make: installing the environment for tests, which takes a minute or two"
	@$(call INSTALL,envs/test.lock)
	@touch $@

UV := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header --no-annotate --group build
PIPELINE := pyproject.toml --extra pipeline

bundle: .venv/run  ## dist/: the wheel, and one file that installs it with no index
	$(BIN)/python envs/bundle.py

lock:  ## renew the locks; needs uv
	$(UV) $(PIPELINE) -o envs/run.lock
	$(BIN)/python envs/conda.py
	$(UV) --group install --constraint envs/run.lock -o envs/build.lock
	$(UV) $(PIPELINE) --group test --group oracles --group slurm -o envs/test.lock
	$(UV) $(PIPELINE) --group slurm -o envs/slurm.lock

clean:
	rm -rf .venv .snakemake dist results site
