# make bench: counted instructions, boot times, sizes. Nothing here passes or fails.
BENCH_EMPTY := $(BUILD)/bench/empty.elf
$(BENCH_EMPTY): tests/bench/empty.S | $(call setup,x86_64)
	$(Q)mkdir -p $(@D)
	$(Q)gcc -m32 -c -o $(@:.elf=.o) $<
	$(Q)ld -m elf_i386 -e start -Ttext=0x100000 -o $@ $(@:.elf=.o)

bench: $(BUILD)/x86_64/tintype.elf $(BENCH_EMPTY) $(MODEL_PLUGIN) $(MODEL_NAIVE) $(MODEL_GUESTS) | $(call setup,test)
	$(Q)$(PYTHON) tests/bench/bench.py --kernel $(BUILD)/x86_64/tintype.elf --empty $(BENCH_EMPTY)
	$(Q)$(PYTHON) tests/model/bench.py

include tests/bench/fft_host.mk
