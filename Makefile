# Tintype. `make help` lists the targets; README.md explains them, HACKING.md the sources.
#
# One makefile, no recursion; fragments (*.mk) belong to the folder they stand in. All output
# goes to build/. Nothing here runs a compiler while make reads the file, so that `make qemu` on a
# bare machine can install one first.

ARCH    ?= x86_64
CHECK   ?= 0
BOOT    ?= kernel
MEM     ?= 256M
SMP     ?= 1
MODEL   ?=
CMDLINE ?= run=bandwidth alloc=buddy,random,va page_color=2048,1 age=4:95:50 reps=5
QEMU_ARGS ?=

BUILD := build
OUT   := $(BUILD)/$(ARCH)$(if $(filter-out 0,$(CHECK)),-check$(CHECK))
LOG   ?= $(BUILD)/$(ARCH)/serial.log
KERNEL := $(OUT)/tintype.elf
PYTHON := /usr/bin/python3
HOSTCC := gcc

ifneq ($(filter-out x86_64 alpha,$(ARCH)),)
$(error ARCH=$(ARCH): valid are x86_64 and alpha)
endif
ifneq ($(filter-out 0 1 2 3,$(CHECK)),)
$(error CHECK=$(CHECK): valid are 0, 1, 2 and 3)
endif

V ?= 0
ifeq ($(V),0)
Q := @
say = @printf '  %-9s%s\n' '$(1)' '$(2)';
else
Q :=
say =
endif

# Python's caches stay out of the source tree.
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(BUILD)/pycache

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

.PHONY: all help qemu qemu-gdb test test-long test-unit test-system lint bench iso clean format FORCE
all: $(KERNEL)

help:
	@sed -n 's/^#: //p' Makefile

#: make [all]      build the kernel for ARCH (x86_64, alpha)
#: make qemu       boot it: ARCH BOOT CMDLINE MODEL SMP MEM CHECK QEMU_ARGS LOG
#: make qemu-gdb   boot it, stopped, with gdb at kernel_main
#: make test       all tests that fit in 10 minutes; make test-long: the rest
#: make test-unit  host tests only; make test-system: boots only
#: make lint       formatting, static analysis, headers, include rule
#: make bench      counted instructions, boot times, the cache model's cost: half an hour (make bench-boots, make bench-model: one of them)
#: make iso        bootable image (GRUB, BIOS and UEFI)
#: make format     run clang-format
#: make clean      remove build/
#: V=1 shows every command; SETUP=no prints missing packages instead of installing them

# ---- set-up: packages ----------------------------------------------------------------------------

# $(call setup,WHAT): stamps of groups in tools/packages.txt; WHAT is an architecture or a group.
setup = $(BUILD)/.setup-build $(if $(filter x86_64 build,$(1)),,$(BUILD)/.setup-$(1))
$(BUILD)/.setup-%: tools/packages.txt tools/setup.sh
	$(Q)mkdir -p $(@D)
	$(Q)sh tools/setup.sh $*
	$(Q)touch $@

# ---- kernels -------------------------------------------------------------------------------------

WARN := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wvla -Wno-missing-field-initializers -Werror

include kernel/kernel.mk

ARCHES := x86_64 alpha
out = $(BUILD)/$(1)$(if $(filter-out 0,$(2)),-check$(2))

# What the tests boot: both architectures as users do, and one with every check on.
TEST_KERNELS := $(BUILD)/x86_64/tintype.elf $(BUILD)/x86_64-check3/tintype.elf $(BUILD)/alpha/tintype.elf

$(foreach a,$(ARCHES),$(eval $(call newlib_rules,$(a))))
$(foreach a,$(ARCHES),$(foreach c,0 1 2 3,$(eval $(call kernel_rules,$(a),$(c),$(call out,$(a),$(c))))))

# ---- boot media --------------------------------------------------------------------------------

include boot/boot.mk

# ---- run ---------------------------------------------------------------------------------------

TT_RUN = $(PYTHON) tools/tt run --arch $(ARCH) --boot $(BOOT) --kernel $(KERNEL) --mem $(MEM) --smp $(SMP) \
         --log $(LOG) $(if $(MODEL),--model $(MODEL)) --cmdline '$(subst ','\'',$(CMDLINE))'

qemu: $(KERNEL) $(BOOT_DEPS) $(if $(MODEL),$(BUILD)/model/ttmodel.so) | $(BOOT_SETUP)
	$(Q)$(TT_RUN) -- $(QEMU_ARGS)

qemu-gdb: $(KERNEL) $(BOOT_DEPS) | $(call setup,debug) $(BOOT_SETUP)
	$(Q)$(TT_RUN) --gdb -- $(QEMU_ARGS)

# ---- host side ---------------------------------------------------------------------------------

UNIT_TESTS :=
HOST_C_SOURCES :=
-include tests/unit/unit.mk
-include tools/model/model.mk
include tests/bench/bench.mk
include tests/fuzz/fuzz.mk

MODEL_TEST_DEPS := $(MODEL_PLUGIN) $(MODEL_NAIVE) $(MODEL_TRACE) $(MODEL_GUESTS)

# The same system tests for both architectures, and a few on a kernel with every check on.
SYSTEM_TESTS := --pytest "tests/system" --pytest "ARCH=alpha tests/system" \
	--pytest "KERNEL=$(BUILD)/x86_64-check3/tintype.elf tests/system/test_checked.py"

test: $(TEST_KERNELS) $(TEST_MEDIA) $(MODEL_TEST_DEPS) $(UNIT_TESTS) | $(call setup,test)
	$(Q)$(PYTHON) tools/test-total --unit "$(UNIT_TESTS)" --pytest "tests/tools tests/model" $(SYSTEM_TESTS)
test-long: $(TEST_KERNELS) $(TEST_MEDIA) $(MODEL_TEST_DEPS) $(UNIT_TESTS) $(FUZZ_BINARIES) \
		| $(call setup,test) $(call setup,bochs) $(call setup,browser)
	$(Q)TT_LONG=1 $(PYTHON) tools/test-total --long --unit "$(UNIT_TESTS_LONG)" --pytest "tests/tools tests/model tests/fuzz" $(SYSTEM_TESTS)
test-unit: $(UNIT_TESTS) | $(call setup,test)
	$(Q)$(PYTHON) tools/test-total --unit "$(UNIT_TESTS)"
test-system: $(TEST_KERNELS) $(TEST_MEDIA) $(MODEL_PLUGIN) | $(call setup,test)
	$(Q)$(PYTHON) tools/test-total $(SYSTEM_TESTS)

# ---- lint --------------------------------------------------------------------------------------

C_FILES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')

# $(call lint_headers,ARCH): with the flags of its kernel, outside of $(eval).
lint_headers = sh tools/lint-headers $(subst $$$$,$$,$(call kernel_cpp,$(1),0,$(BUILD)/$(1))) $(KERNEL_CFLAGS) $($(1)_CFLAGS)

lint: $(ARCHES:%=$(BUILD)/%/version.h) $(ARCHES:%=$(BUILD)/%/newlib/lib/libc.a) | $(call setup,test) $(call setup,iso)
	$(call say,FORMAT,clang-format)clang-format --dry-run -Werror $(C_FILES)
	$(call say,INCLUDES,tools/lint-includes)sh tools/lint-includes
	$(call say,HEADERS,kernel arch/x86_64)$(call lint_headers,x86_64)
	$(call say,HEADERS,kernel arch/alpha)$(call lint_headers,alpha)
	$(call say,CPPCHECK,kernel arch boot tools)cppcheck --quiet --error-exitcode=1 --std=c11 -j2 \
	    --enable=warning,portability --inline-suppr --suppressions-list=tools/cppcheck.txt \
	    -Ikernel -Iarch/x86_64/include -I. -DCHECK=3 kernel arch boot tools

format:
	$(Q)clang-format -i $(C_FILES)

clean:
	$(Q)rm -rf $(BUILD)

