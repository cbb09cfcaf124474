# The cache model: core library, QEMU plugin, bench-only variant, trace reader, test guests, unit
# tests. Included by the Makefile; from there: BUILD, HOSTCC, Q, UNIT_TESTS, HOST_C_SOURCES.
#
# Targets to name: $(BUILD)/model/ttmodel.so (what `make qemu MODEL=...` needs), model (all of
# this), test-model (the plugin's system tests), bench-model (the speed ratios).

HOSTCC ?= gcc
MODEL_DIR := $(BUILD)/model
MODEL_PLUGIN := $(MODEL_DIR)/ttmodel.so
MODEL_NAIVE := $(MODEL_DIR)/naive.so
MODEL_LIB := $(MODEL_DIR)/libttmodel.a
MODEL_TRACE := $(MODEL_DIR)/lackey_trace
MODEL_GUESTS := $(MODEL_DIR)/guest-x86_64.elf $(MODEL_DIR)/guest-alpha.elf

MODEL_PLUGIN_C := $(wildcard tools/model/plugin*.c)
MODEL_CORE_C := $(filter-out $(MODEL_PLUGIN_C),$(wildcard tools/model/*.c))
MODEL_CORE_O := $(MODEL_CORE_C:%.c=$(MODEL_DIR)/%.o)
MODEL_PLUGIN_O := $(MODEL_PLUGIN_C:%.c=$(MODEL_DIR)/%.o)

MODEL_WARN := -Wall -Wextra -Wmissing-prototypes -Werror
# Without the patterns, loops over a few ways stay loops instead of calls of memmove; without SLP
# vectors, two counters side by side are not read as one of 16 bytes just after one was written,
# which stalls; with link-time optimisation, the files may be as small as their ideas without
# costing calls.
MODEL_CFLAGS := -std=gnu11 -O2 -g -flto -ffat-lto-objects -fno-tree-loop-distribute-patterns \
	-fno-tree-slp-vectorize $(MODEL_WARN) -fPIC -fvisibility=hidden -I.

# The core is also compiled once more for the unit tests, with sanitizers. The differential and the
# theory test make tens of millions of accesses: they do without them and use the library.
MODEL_UNIT_NAMES := $(patsubst tests/unit/model/test_%.c,%,$(wildcard tests/unit/model/test_*.c))
MODEL_UNIT_LONG := differential theory
MODEL_UNIT_SHARED_C := $(filter-out tests/unit/model/test_%.c,$(wildcard tests/unit/model/*.c))
MODEL_UNIT_TESTS := $(MODEL_UNIT_NAMES:%=$(BUILD)/unit/model_%)
MODEL_SAN := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
MODEL_UNIT_CFLAGS := -std=gnu11 -O1 -g $(MODEL_WARN) $(MODEL_SAN) -I.
MODEL_UNIT_CORE_O := $(patsubst %.c,$(MODEL_DIR)/san/%.o,$(MODEL_CORE_C) tools/model/plugin_decode.c)
MODEL_UNIT_SHARED_O := $(MODEL_UNIT_SHARED_C:%.c=$(MODEL_DIR)/%.o)
MODEL_UNIT_LONG_O := $(MODEL_UNIT_LONG:%=$(MODEL_DIR)/tests/unit/model/test_%.o) $(MODEL_UNIT_SHARED_O)

UNIT_TESTS += $(MODEL_UNIT_TESTS)
HOST_C_SOURCES += $(MODEL_CORE_C) $(MODEL_PLUGIN_C) $(MODEL_UNIT_SHARED_C) \
	$(MODEL_UNIT_NAMES:%=tests/unit/model/test_%.c) $(wildcard tests/model/*.c)

.PHONY: model test-model bench-model
model: $(MODEL_PLUGIN) $(MODEL_NAIVE) $(MODEL_LIB) $(MODEL_TRACE) $(MODEL_GUESTS)
test-model: model
	$(Q)/usr/bin/python3 -m pytest -q tests/model
bench-model: model
	$(Q)/usr/bin/python3 tests/model/bench.py

$(MODEL_CORE_O) $(MODEL_PLUGIN_O): $(MODEL_DIR)/%.o: %.c tools/model/model.mk
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) $(MODEL_CFLAGS) -MMD -MP -c $< -o $@
$(MODEL_LIB): $(MODEL_CORE_O)
	$(Q)rm -f $@
	$(Q)ar rcs $@ $^
$(MODEL_PLUGIN): $(MODEL_PLUGIN_O) $(MODEL_CORE_O)
	$(Q)$(HOSTCC) $(MODEL_CFLAGS) -shared -o $@ $^
$(MODEL_NAIVE): tests/model/naive.c tools/model/model.mk
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) $(MODEL_CFLAGS) -MMD -MP -shared $< -o $@ -lpthread
$(MODEL_TRACE): tests/model/lackey_trace.c $(MODEL_LIB)
	$(Q)$(HOSTCC) $(MODEL_CFLAGS) -MMD -MP $< $(MODEL_LIB) -o $@

$(MODEL_DIR)/san/%.o: %.c tools/model/model.mk
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) $(MODEL_UNIT_CFLAGS) -MMD -MP -c $< -o $@
$(filter-out $(MODEL_UNIT_LONG:%=$(BUILD)/unit/model_%),$(MODEL_UNIT_TESTS)): \
		$(BUILD)/unit/model_%: $(MODEL_DIR)/san/tests/unit/model/test_%.o $(MODEL_UNIT_CORE_O)
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) $(MODEL_SAN) $^ -o $@ -lcmocka -lm
$(MODEL_UNIT_LONG_O): $(MODEL_DIR)/%.o: %.c tools/model/model.mk
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) $(MODEL_CFLAGS) -MMD -MP -c $< -o $@
$(MODEL_UNIT_LONG:%=$(BUILD)/unit/model_%): $(BUILD)/unit/model_%: \
		$(MODEL_DIR)/tests/unit/model/test_%.o $(MODEL_UNIT_SHARED_O) $(MODEL_LIB)
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) $(MODEL_CFLAGS) $^ -o $@ -lcmocka -lm

# The test guests: freestanding programs for QEMU.
MODEL_GUEST_CFLAGS := -std=gnu11 -O2 $(MODEL_WARN) -ffreestanding -fno-pic -fno-stack-protector \
	-fno-asynchronous-unwind-tables -I. -nostdlib -static -Wl,--build-id=none
$(MODEL_DIR)/guest-x86_64.elf: MODEL_GUEST_CC := $(HOSTCC) -mno-red-zone -mgeneral-regs-only \
	-fcf-protection=none -no-pie -Iarch/x86_64/include -Wl,-z,max-page-size=4096 -Wl,--defsym=BASE=0x100000
$(MODEL_DIR)/guest-alpha.elf: MODEL_GUEST_CC := alpha-linux-gnu-gcc -mcpu=ev6 -Iarch/alpha/include \
	-Wl,--defsym=BASE=0xfffffc0000310000
$(MODEL_GUESTS): $(MODEL_DIR)/guest-%.elf: tests/model/guest/start_%.S tests/model/guest/arch_%.c \
		tests/model/guest/main.c tests/model/guest/guest.ld tests/model/guest/guest.h \
		kernel/perf/model_abi.h tools/model/model.mk
	$(Q)mkdir -p $(@D)
	$(Q)$(MODEL_GUEST_CC) $(MODEL_GUEST_CFLAGS) -T tests/model/guest/guest.ld $(filter %.S %.c,$^) -o $@
$(MODEL_DIR)/guest-x86_64.elf: arch/x86_64/include/arch/model_cmd.h
$(MODEL_DIR)/guest-alpha.elf: arch/alpha/include/arch/model_cmd.h

-include $(MODEL_CORE_O:.o=.d) $(MODEL_PLUGIN_O:.o=.d) $(MODEL_DIR)/naive.d $(MODEL_DIR)/lackey_trace.d
-include $(MODEL_UNIT_CORE_O:.o=.d) $(MODEL_UNIT_LONG_O:.o=.d)
-include $(MODEL_UNIT_NAMES:%=$(MODEL_DIR)/san/tests/unit/model/test_%.d)
