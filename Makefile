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
say = @printf '  %-8s%s\n' '$(1)' '$(2)';
else
Q :=
say =
endif

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
#: make bench      counted instructions and boot times
#: make iso        bootable image (GRUB, BIOS and UEFI)
#: make format     run clang-format
#: make clean      remove build/
#: V=1 shows every command; SETUP=no prints missing packages instead of installing them

# ---- set-up: packages, then newlib -------------------------------------------------------------

# Groups of tools/packages.txt. `arch` stands for what this ARCH needs to build and boot.
SETUP_arch := build $(filter alpha,$(ARCH))
setup = $(patsubst %,$(BUILD)/.setup-%,$(if $(filter arch,$(1)),$(SETUP_arch),$(SETUP_arch) $(1)))
$(BUILD)/.setup-%: tools/packages.txt tools/setup.sh
	$(Q)mkdir -p $(@D)
	$(Q)sh tools/setup.sh $*
	$(Q)touch $@

NEWLIB_TAR := $(firstword $(wildcard /usr/src/newlib/newlib-*.tar.xz) /usr/src/newlib/newlib.tar.xz)
NEWLIB := $(BUILD)/$(ARCH)/newlib
$(NEWLIB)/lib/libc.a: tools/newlib.sh | $(call setup,arch)
	$(call say,NEWLIB,$(NEWLIB) (once; about a minute))sh tools/newlib.sh $(ARCH) $(NEWLIB)

# ---- kernel ------------------------------------------------------------------------------------

include arch/$(ARCH)/arch.mk

KERNEL_C := $(sort $(wildcard kernel/*.c kernel/*/*.c kernel/*/*/*.c arch/$(ARCH)/*.c boot/$(ARCH)/*.c))
KERNEL_S := $(sort $(wildcard arch/$(ARCH)/*.S boot/$(ARCH)/*.S))
KERNEL_O := $(KERNEL_C:%.c=$(OUT)/%.o) $(KERNEL_S:%.S=$(OUT)/%.o)

# Floating point only where newlib is used for it; everything else may run inside a trap.
WITH_FP := kernel/lab/% kernel/work/%

WARN   := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wvla -Wno-missing-field-initializers -Werror
CPPFLAGS_K = -nostdinc -isystem $$($(CC_K) -print-file-name=include) -isystem $(NEWLIB)/include \
             -Ikernel -Iarch/$(ARCH)/include -I$(OUT) -D__DYNAMIC_REENT__ -DCHECK=$(CHECK) $(ARCH_CPPFLAGS)
CFLAGS_K  = -std=gnu11 -O2 -g $(WARN) -ffreestanding -fno-strict-aliasing -fno-omit-frame-pointer \
            -fno-optimize-sibling-calls -fno-asynchronous-unwind-tables -fno-stack-protector \
            -fno-common -fno-toplevel-reorder -ffunction-sections -fdata-sections $(ARCH_CFLAGS)
LDFLAGS_K = -nostdlib -static -Wl,--gc-sections -Wl,--build-id=none -Wl,--fatal-warnings $(ARCH_LDFLAGS)

# A stamp that changes only when the flags do: another CHECK or compiler rebuilds everything.
$(OUT)/flags: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)echo '$(CC_K) $(CPPFLAGS_K) $(CFLAGS_K) $(LDFLAGS_K) $(ARCH_NO_FP)' > $@.new
	$(Q)cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# The same for the version that the boot record carries.
$(OUT)/version.h: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)echo "#define TINTYPE_VERSION \"$$(git describe --always --dirty --tags 2>/dev/null || echo unknown)\"" > $@.new
	$(Q)cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(OUT)/%.o: %.c $(OUT)/flags $(NEWLIB)/lib/libc.a | $(OUT)/version.h $(call setup,arch)
	$(Q)mkdir -p $(@D)
	$(call say,CC,$<)$(CC_K) $(CPPFLAGS_K) $(CFLAGS_K) $(if $(filter $(WITH_FP),$<),,$(ARCH_NO_FP)) -MMD -MP -c -o $@ $<

$(OUT)/%.o: %.S $(OUT)/flags $(NEWLIB)/lib/libc.a | $(call setup,arch)
	$(Q)mkdir -p $(@D)
	$(call say,AS,$<)$(CC_K) $(CPPFLAGS_K) $(ARCH_CFLAGS) -g -MMD -MP -c -o $@ $<

$(OUT)/linker.ld: linker.ld $(OUT)/flags | $(call setup,arch)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC_K) -E -P -x c -DLINKER_SCRIPT -Iarch/$(ARCH)/include -MMD -MP -MT $@ -MF $@.d -o $@ $<

LINK_K = $(CC_K) $(ARCH_CFLAGS) $(LDFLAGS_K) -T $(OUT)/linker.ld -o $@
LIBS_K = -L$(NEWLIB)/lib -Wl,--start-group -lc -lm -lgcc -Wl,--end-group

# Two passes: the symbol table stands behind the rest of rodata, so text does not move.
$(OUT)/pass1.elf: $(KERNEL_O) $(OUT)/linker.ld
	$(Q)$(LINK_K) $(KERNEL_O) $(LIBS_K)
$(OUT)/ksyms.S: $(OUT)/pass1.elf tools/ksyms.awk
	$(Q)$(NM_K) -n $< | awk -f tools/ksyms.awk > $@
$(OUT)/ksyms.o: $(OUT)/ksyms.S
	$(Q)$(CC_K) $(ARCH_CFLAGS) -c -o $@ $<
$(KERNEL): $(KERNEL_O) $(OUT)/ksyms.o $(OUT)/linker.ld
	$(call say,LD,$@)$(LINK_K) $(KERNEL_O) $(OUT)/ksyms.o $(LIBS_K)

# ---- boot media --------------------------------------------------------------------------------

include boot/boot.mk

# ---- run ---------------------------------------------------------------------------------------

TT_RUN = $(PYTHON) tools/tt run --arch $(ARCH) --boot $(BOOT) --kernel $(KERNEL) --mem $(MEM) --smp $(SMP) \
         --log $(LOG) $(if $(MODEL),--model $(MODEL)) --cmdline '$(subst ','\'',$(CMDLINE))'

qemu: $(KERNEL) $(if $(MODEL),$(BUILD)/model/ttmodel.so)
	$(Q)$(TT_RUN) -- $(QEMU_ARGS)

qemu-gdb: $(KERNEL) $(BOOT_DEPS) | $(call setup,debug) $(BOOT_SETUP)
	$(Q)$(TT_RUN) --gdb -- $(QEMU_ARGS)

# ---- host side ---------------------------------------------------------------------------------

UNIT_TESTS :=
HOST_C_SOURCES :=
-include tests/unit/unit.mk
-include tools/model/model.mk
include tests/bench/bench.mk

test: $(KERNEL) $(UNIT_TESTS) | $(call setup,test)
	$(Q)$(PYTHON) tools/test-total --unit "$(UNIT_TESTS)" --pytest "tests/system tests/tools"
test-long: $(KERNEL) $(UNIT_TESTS) | $(call setup,test)
	$(Q)$(PYTHON) tools/test-total --long --pytest "tests/system tests/tools"
test-unit: $(UNIT_TESTS) | $(call setup,test)
	$(Q)$(PYTHON) tools/test-total --unit "$(UNIT_TESTS)"
test-system: $(KERNEL) | $(call setup,test)
	$(Q)$(PYTHON) tools/test-total --pytest "tests/system"

# ---- lint --------------------------------------------------------------------------------------

C_FILES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')

lint: $(OUT)/version.h $(NEWLIB)/lib/libc.a | $(call setup,test)
	$(call say,FORMAT,clang-format)clang-format --dry-run -Werror $(C_FILES)
	$(call say,INCLUDES,tools/lint-includes)sh tools/lint-includes
	$(call say,HEADERS,tools/lint-headers)sh tools/lint-headers $(CC_K) $(CPPFLAGS_K) $(CFLAGS_K)
	$(call say,CPPCHECK,kernel arch boot)cppcheck --quiet --error-exitcode=1 --std=c11 -j2 \
	    --enable=warning,portability --inline-suppr --suppressions-list=tools/cppcheck.txt \
	    -Ikernel -Iarch/$(ARCH)/include -DCHECK=3 kernel arch/$(ARCH) boot tools

format:
	$(Q)clang-format -i $(C_FILES)

clean:
	$(Q)rm -rf $(BUILD)

-include $(KERNEL_O:.o=.d) $(OUT)/linker.ld.d
