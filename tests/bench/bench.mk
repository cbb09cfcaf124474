# make bench: counted instructions, boot times, sizes. Nothing here passes or fails.
BENCH_EMPTY := $(BUILD)/bench/empty_x86_64.elf $(BUILD)/bench/empty_alpha.elf
$(BUILD)/bench/empty_x86_64.elf: tests/bench/empty_x86_64.S | $(call setup,x86_64)
	$(Q)mkdir -p $(@D)
	$(Q)gcc -m32 -c -o $(@:.elf=.o) $<
	$(Q)ld -m elf_i386 -e start -Ttext=0x100000 -o $@ $(@:.elf=.o)
$(BUILD)/bench/empty_alpha.elf: tests/bench/empty_alpha.S | $(call setup,alpha)
	$(Q)mkdir -p $(@D)
	$(Q)$(alpha_CC) $(alpha_CFLAGS) -c -o $(@:.elf=.o) $<
	$(Q)$(alpha_CC:gcc=ld) -e start -Ttext=0xfffffc0000310000 -o $@ $(@:.elf=.o)

bench: bench-boots $(MODEL_PLUGIN) $(MODEL_NAIVE) $(MODEL_GUESTS)
	$(Q)$(PYTHON) tests/bench/bench.py --build $(BUILD)
	$(Q)$(PYTHON) tests/model/bench.py

.PHONY: bench-boots
bench-boots: $(ARCHES:%=$(BUILD)/%/tintype.elf) $(BENCH_EMPTY) | $(call setup,test)
	$(Q)$(PYTHON) tests/bench/boots.py --build $(BUILD)

include tests/bench/fft_host.mk
