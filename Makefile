# The front door. CMake builds (CMakePresets.json names every build); this file
# only brings what is missing and does the one thing that was asked for.

PREFIX ?= /usr/local
MODEL  ?= examples/models/vww96_int8.tflite
BUDGET ?= 76K

.PHONY: help demo test build install bench clean distclean
.DEFAULT_GOAL := help

help:
	@echo 'make demo       build, then report on a bundled model and run it (MODEL=, BUDGET=)'
	@echo 'make test       build with sanitizers and run everything that is quick'
	@echo 'make install    install into PREFIX (now $(PREFIX)); DESTDIR works'
	@echo 'make bench      build and run the measurements of bench/'
	@echo 'make clean      remove every build; distclean removes build/venv too'
	@echo
	@echo 'What is missing is brought by tools/setup (Debian packages, build/venv).'
	@echo 'Single builds: cmake --preset debug && cmake --build --preset debug'

build:
	@tools/setup demo
	@cmake --preset release -Wno-dev --log-level=WARNING
	@cmake --build --preset release --target berth

demo: build
	build/release/berth report $(MODEL) --budget $(BUDGET)
	build/release/berth run $(MODEL) --random 1 --poison

test:
	@tools/setup test
	@tools/run_tests

install:
	@tools/setup demo
	@cmake --preset release -Wno-dev --log-level=WARNING -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DBERTH_BENCH=OFF
	@cmake --build --preset release
	cmake --install build/release --prefix $(PREFIX)

bench:
	@tools/setup demo
	@cmake --preset release -Wno-dev --log-level=WARNING -DBERTH_BENCH=ON
	@cmake --build --preset release
	@set -e; for one in build/release/bench/*; do \
	    if [ -x $$one ] && [ -f $$one ]; then echo "== $$one"; $$one; fi; done
	@echo '== bench/corpus.py'; \
	    if [ -d "$${BERTH_CORPUS:-../shared}/models" ]; then python3 bench/corpus.py; \
	    else echo 'skipped: no models of others (BERTH_CORPUS)'; fi

clean:
	@if [ -d build ]; then find build -mindepth 1 -maxdepth 1 \
	    ! -name venv ! -name 'setup*' -exec rm -rf {} +; fi

distclean:
	rm -rf build
