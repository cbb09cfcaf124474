# Fuzz targets: the boot paths' parsers under clang's libFuzzer, with ASan and UBSan.
#
# A target is fuzz_NAME.c, its sources below, and its corpus tests/data/boot/NAME. `make fuzz` runs
# each for FUZZ_SECONDS; test_fuzz.py does so in `make test-long`. What a run finds that is new stays
# in build/fuzz/NAME.

FUZZ_SECONDS ?= 60
FUZZ_DIR := $(BUILD)/fuzz
FUZZ_NAMES := elf multiboot2 pvh words
FUZZ_BINARIES := $(FUZZ_NAMES:%=$(FUZZ_DIR)/fuzz_%)

fuzz_boot_src       := tests/fuzz/fuzz.c tests/fuzz/fuzz_info.c boot/x86_64/boot_copy.c \
	kernel/core/kprintf.c kernel/mm/memmap.c
fuzz_multiboot2_src := $(fuzz_boot_src) boot/x86_64/multiboot2.c boot/x86_64/multiboot2_map.c
fuzz_pvh_src        := $(fuzz_boot_src) boot/x86_64/pvh.c tests/unit/sparse_memory.c
fuzz_elf_src        := tests/fuzz/fuzz.c boot/efi/elf.c
fuzz_words_src      := tests/fuzz/fuzz.c boot/efi/words.c

FUZZ_CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror -fsanitize=fuzzer,address,undefined \
	-fno-sanitize-recover=all -fno-omit-frame-pointer -DCHECK=1 -Ikernel -Itests/unit/arch/include \
	-Itests/unit -Itests/fuzz -Iboot/x86_64 -Iboot/efi

define fuzz_rules
$(FUZZ_DIR)/fuzz_$(1): tests/fuzz/fuzz_$(1).c $$(fuzz_$(1)_src) tests/fuzz/fuzz.mk | $$(call setup,fuzz)
	$$(Q)mkdir -p $$(@D)
	$$(call say,FUZZ,$$@)clang $$(FUZZ_CFLAGS) -o $$@ $$(filter %.c,$$^)
endef
$(foreach t,$(FUZZ_NAMES),$(eval $(call fuzz_rules,$(t))))

fuzz: $(FUZZ_BINARIES)
	$(Q)for t in $(FUZZ_NAMES); do mkdir -p $(FUZZ_DIR)/$$t && $(FUZZ_DIR)/fuzz_$$t \
	    -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=$(FUZZ_DIR)/ $(FUZZ_DIR)/$$t \
	    tests/data/boot/$$t || exit 1; done
.PHONY: fuzz
