# SPDX-License-Identifier: Apache-2.0
# The daily commands. Everything a fresh Debian 12 machine needs is installed by `deps`, which every target calls.
.PHONY: deps configure build frazil demo test interop bench format tidy asan tsan clean

PRESET ?= release
BUILD := build/$(PRESET)
PYTHON := .deps/python/bin/python
FRAZIL := $(BUILD)/bin/frazil

deps:
	@scripts/install-deps.sh

configure: deps
	@mkdir -p build
	@[ -f $(BUILD)/build.ninja ] || cmake --preset $(PRESET)

build: configure
	@ninja -C $(BUILD) --quiet

# Only the program, without the tests: what `demo` needs.
frazil: configure
	@ninja -C $(BUILD) --quiet frazil

build/demo/events:
	@$(PYTHON) examples/generate_events.py build/demo/events

demo: frazil build/demo/events
	@rm -rf build/demo/catalog.db build/demo/warehouse build/demo/checkpoints
	@$(FRAZIL) run examples/quickstart.sql

test: build
	@cd $(BUILD) && ctest --output-on-failure -j2
	@FRAZIL=$(FRAZIL) $(PYTHON) -m pytest -q tests/system

# Java (Flink + Iceberg) and Frazil on the same tables; downloads Flink from Maven the first time.
interop: build
	@scripts/install-deps.sh java
	@FRAZIL=$(FRAZIL) $(PYTHON) -m pytest -q tests/interop

# Frazil and Flink in turn on the same 4 M rows; downloads Flink from Maven the first time.
bench: build
	@FRAZIL=$(FRAZIL) $(PYTHON) bench/run.py

format:
	@clang-format -i $$(git ls-files '*.h' '*.cc')

tidy: configure
	@run-clang-tidy -quiet -p $(BUILD) src/frazil

asan tsan:
	@$(MAKE) PRESET=$@ build
	@cd build/$@ && ctest --output-on-failure -j2

clean:
	@rm -rf build
