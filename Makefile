# Everything there is to type; `make` lists it. Behind it: scripts/, CMakePresets.json, Ninja, ctest.
#   LIBTORCH=/path   a LibTorch of your own (the folder that holds lib/libtorch_cpu.so) in place of the pinned one
#   NMT_CUDA=1       link the CUDA half of LibTorch too, in build-cuda/
#   JOBS=N           compilers at work at once (default: one a core)
#   RUN=/path        bench-decode: a transformer run of your own, with SOURCE=/path its text, beside the demo's
#   TARGET=links     fuzz: one target of tests/fuzz (default: the five that clang compiles), with SECONDS=N for each
#   CORPUS=/path     bench-train, bench-scaling: a corpus of your own (train.source, train.target, vocab.txt) in place of a made one
export LIBTORCH NMT_CUDA JOBS

PRESET := $(if $(filter 1,$(NMT_CUDA)),cuda,release)
BUILD  := $(if $(filter 1,$(NMT_CUDA)),build-cuda,build)
# The tests pin their threads, so that two fit on two cores.
CTEST  := ctest --output-on-failure -j2

.PHONY: help setup setup-tests build demo test test-asan fuzz bench-train bench-scaling bench-decode bench-metrics bench-kernels format clean distclean

help:       ## list these targets
	@sed -n 's/^\([a-z-]*\): .*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
	@sed -n 's/^#   \([A-Z_]*=[^ ]*\) *\(.*\)/  \1\t\2/p' Makefile | expand -t 20

setup:      ## install what the build needs: Debian packages and LibTorch
	@scripts/setup.sh

setup-tests: setup
	@scripts/setup.sh --tests

build: setup ## compile everything
	@scripts/build.sh $(PRESET)

demo: setup ## make the bundled corpus, train both translators on it, translate, align and compare
	@scripts/build.sh $(PRESET) nmt
	@NMT=$(BUILD)/bin/nmt scripts/demo.sh

test: setup-tests build ## run all tests, the checks of format and layers among them
	@$(CTEST) --test-dir $(BUILD)

test-asan: setup ## run all tests under the address and undefined-behaviour sanitizers
	@scripts/build.sh asan
	@$(CTEST) --test-dir build-asan

fuzz:       ## search for inputs that break a reader: tests/fuzz under clang, libFuzzer and the sanitizers
	@scripts/setup.sh --fuzz
	@scripts/fuzz.sh $(or $(SECONDS),60) $(TARGET)

bench-train: setup ## time the training step against JoeyNMT, eole and a PyTorch loop, in about half an hour
	@scripts/build.sh $(PRESET) bench_train
	@bench/setup_peers.sh joeynmt eole
	@$(if $(CORPUS),,bench/train/make_corpus.py runs/bench-train/corpus)
	@bench/train/compare.py $(or $(CORPUS),runs/bench-train/corpus) runs/bench-train --nmt $(BUILD)/bin/bench_train

bench-scaling: setup ## time two workers against two threads and PyTorch's DistributedDataParallel, in a quarter of an hour
	@scripts/build.sh $(PRESET) bench_workers
	@bench/setup_peers.sh joeynmt
	@$(if $(CORPUS),,bench/train/make_corpus.py runs/bench-train/corpus)
	@bench/train/make_batches.py $(foreach file,train.source train.target vocab.txt,$(or $(CORPUS),runs/bench-train/corpus)/$(file)) \
	  runs/bench-scaling.txt
	@bench/scaling/compare.py runs/bench-scaling.txt --nmt $(BUILD)/bin/bench_workers

bench-decode: setup ## time decoding against CTranslate2 with the same weights and JoeyNMT, in about half an hour
	@scripts/build.sh $(PRESET) bench_decode nmt
	@bench/setup_peers.sh ctranslate2 joeynmt
	@[ -e runs/demo/report ] || NMT=$(BUILD)/bin/nmt scripts/demo.sh
	@BUILD=$(BUILD) bench/decode/all.sh $(if $(RUN),$(RUN) $(SOURCE),)

bench-metrics: setup ## time scores and tests of 100,000 lines against sacreBLEU, in about ten minutes
	@scripts/build.sh $(PRESET) nmt
	@bench/setup_peers.sh sacrebleu
	@bench/metrics/compare.py runs/bench-metrics --nmt $(BUILD)/bin/nmt

bench-kernels: setup ## time each kernel beside its plain twin, in a minute
	@scripts/build.sh $(PRESET) bench_kernels
	@$(BUILD)/bin/bench_kernels

format: setup ## lay out the C++ files as the format check wants them
	@tests/check_format.sh --fix

clean:      ## remove what was built
	@rm -rf build build-*

distclean: clean ## and what set-up, the demo and the benchmarks made; your own runs stay
	@rm -rf .deps runs/demo runs/bench-scaling.txt runs/bench-train runs/bench-decode runs/bench-metrics
