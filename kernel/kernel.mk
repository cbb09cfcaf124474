# How a kernel is built. $(call kernel_rules,ARCH,CHECK,OUT) makes the rules for OUT/tintype.elf, so
# that one run of make can build several: both architectures, and checked builds for the tests.
#
# From the Makefile: BUILD, Q, say, setup, WARN. From arch/ARCH/arch.mk: ARCH_CC, ARCH_NM and the
# flags ARCH_CPPFLAGS, ARCH_CFLAGS, ARCH_NO_FP, ARCH_LDFLAGS, with the architecture's name for ARCH,
# and ARCH_WITH_FP: files outside lab/ and work/ that are compiled with floating point, with the reason.

include $(wildcard arch/*/arch.mk)

# Floating point only where newlib is used for it; everything else may run inside a trap.
WITH_FP := kernel/lab/% kernel/work/%

# Small rather than fast, so that the kernel stays below 400 KiB: code that runs once, or between
# measurements. Of lab/, nothing runs inside of an interval but the calls that start and stop it.
SMALL := kernel/lab/% boot/% \
	$(addprefix kernel/core/,%_selftest.c cmdline% console.c cpu_kinds.c cpu_offset.c) \
	$(addprefix kernel/core/,kprintf.c ktap.c newlib.c panic.c record.c symbols.c watchdog.c) \
	$(addprefix kernel/mm/,buddy_check.c color_spec.c memmap% numa% own% pcp_check.c vm_trace.c) \
	$(addprefix kernel/perf/,calibrate.c model.c pmu.c profile.c) \
	$(addprefix kernel/work/,%_check.c %_conclude.c %_theory.c block_cache.c faults_oracle.c) \
	$(addprefix kernel/work/,faults_program.c file_cache.c files.c) \
	$(addprefix arch/%/,acpi.c audit.c backtrace.c caches.c cpu_state.c cpuid.c desc.c hpet.c) \
	$(addprefix arch/%/,ioapic.c madt.c numa.c pmu.c smp.c srat.c uart_find.c) \
	$(wildcard kernel/*/selftest*.c arch/*/selftest*.c)

KERNEL_CFLAGS := -std=gnu11 -O2 -g $(WARN) -ffreestanding -fno-strict-aliasing \
	-fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-asynchronous-unwind-tables \
	-fno-stack-protector -fno-common -fno-toplevel-reorder -ffunction-sections -fdata-sections
KERNEL_LDFLAGS := -nostdlib -static -Wl,--gc-sections -Wl,--build-id=none -Wl,--fatal-warnings

kernel_sources = $(sort $(wildcard kernel/*.c kernel/*/*.c kernel/*/*/*.c \
	arch/$(1)/*.c arch/$(1)/*.S boot/$(1)/*.c boot/$(1)/*.S))
newlib = $(BUILD)/$(1)/newlib

# What every compilation of (arch, check, out) has in common.
kernel_cpp = $($(1)_CC) -nostdinc -isystem $$$$($($(1)_CC) -print-file-name=include) \
	-isystem $(newlib)/include -Ikernel -Iarch/$(1)/include -I$(3) -D__DYNAMIC_REENT__ \
	-DCHECK=$(2) $($(1)_CPPFLAGS)
kernel_no_fp = $(if $(filter $(WITH_FP) $($(1)_WITH_FP),$(2)),,$($(1)_NO_FP))
kernel_small = $(if $(filter $(SMALL),$(1)),-Os)

# Standard input becomes $@, unless $@ says the same. Two makes at once each have a name of their own.
if_changed = new=$@.$$$$ && cat > $$new && { cmp -s $$new $@ && rm $$new || mv $$new $@; }

define kernel_rules
$(3)_o := $(patsubst %,$(3)/%.o,$(basename $(call kernel_sources,$(1))))

# A stamp that changes only when the flags do: another compiler or option rebuilds everything.
$(3)/flags: FORCE
	$$(Q)mkdir -p $$(@D)
	$$(Q)echo '$(kernel_cpp) $(KERNEL_CFLAGS) $($(1)_CFLAGS) $($(1)_NO_FP) $(SMALL) $(KERNEL_LDFLAGS) $($(1)_LDFLAGS)' | { $$(if_changed); }

# The same for the version that the boot record carries.
$(3)/version.h: FORCE
	$$(Q)mkdir -p $$(@D)
	$$(Q)echo "#define TINTYPE_VERSION \"$$$$(git describe --always --dirty --tags 2>/dev/null || echo unknown)\"" | { $$(if_changed); }

$(3)/%.o: %.c $(3)/flags $(newlib)/lib/libc.a | $(3)/version.h $(call setup,$(1))
	$$(Q)mkdir -p $$(@D)
	$$(call say,CC,$$<)$(kernel_cpp) $(KERNEL_CFLAGS) $($(1)_CFLAGS) $$(call kernel_no_fp,$(1),$$<) $$(call kernel_small,$$<) -MMD -MP -c -o $$@ $$<

$(3)/%.o: %.S $(3)/flags $(newlib)/lib/libc.a | $(call setup,$(1))
	$$(Q)mkdir -p $$(@D)
	$$(call say,AS,$$<)$(kernel_cpp) $($(1)_CFLAGS) -g -MMD -MP -c -o $$@ $$<

$(3)/linker.ld: linker.ld $(3)/flags | $(call setup,$(1))
	$$(Q)mkdir -p $$(@D)
	$$(Q)$($(1)_CC) -E -P -x c -DLINKER_SCRIPT -Iarch/$(1)/include -MMD -MP -MT $$@ -MF $$@.d -o $$@ $$<

$(3)_link = $($(1)_CC) $($(1)_CFLAGS) $(KERNEL_LDFLAGS) $($(1)_LDFLAGS) -T $(3)/linker.ld -o $$@ $$(filter %.o,$$^) \
	-L$(newlib)/lib -Wl,--start-group -lc -lm -lgcc -Wl,--end-group

# Two passes: the symbol table stands behind the rest of rodata, so text does not move.
$(3)/pass1.elf: $$($(3)_o) $(3)/linker.ld
	$$(Q)$$($(3)_link)
$(3)/ksyms.S: $(3)/pass1.elf tools/ksyms.awk
	$$(Q)$($(1)_NM) -n $$< | awk -f tools/ksyms.awk > $$@
$(3)/ksyms.o: $(3)/ksyms.S
	$$(Q)$($(1)_CC) $($(1)_CFLAGS) -c -o $$@ $$<
$(3)/tintype.elf: $$($(3)_o) $(3)/ksyms.o $(3)/linker.ld
	$$(call say,LD,$$@)$$($(3)_link)

-include $$($(3)_o:.o=.d) $(3)/linker.ld.d
endef

# newlib, once per architecture, again only when its recipe changes.
define newlib_rules
$(newlib)/lib/libc.a: tools/newlib.sh | $(call setup,$(1))
	$$(call say,NEWLIB,$(newlib) (once; about a minute))sh tools/newlib.sh $(1) $(newlib)
endef
