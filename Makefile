# For OpenBench and other match runners that build with `make EXE=NAME`; everyone else uses cargo (README.md).
#
#   make                            builds ./duchamp for this machine's processor
#   make EXE=NAME EVALFILE=PATH     ... under another name; with another network inside (an absolute path)
#   make CPU=x86-64-v2              ... for other processors: a name of `rustc --print target-cpus`

EXE ?= duchamp
EVALFILE ?=
CPU ?= native

ifeq ($(OS),Windows_NT)
    SUFFIX := .exe
endif
# Once only, also if NAME has it already.
NAME := $(EXE:.exe=)$(SUFFIX)

# Read by cargo, and by the build script of crates/eval. No shell has to understand them.
export RUSTFLAGS := -C target-cpu=$(CPU)
export DUCHAMP_EVALFILE := $(EVALFILE)

.PHONY: all
all:
	cargo rustc --locked --profile dist --bin duchamp -- --emit link=$(NAME)
