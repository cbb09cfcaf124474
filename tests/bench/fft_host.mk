# The kernel's FFT on this host beside FFTW 3, with the kernel's optimisation: part of make bench.
FFT_HOST := $(BUILD)/bench/fft_host
FFT_HOST_C := tests/bench/fft_host.c kernel/work/fft_core.c kernel/work/fft_order.c
$(FFT_HOST): $(FFT_HOST_C) kernel/work/fft_core.h kernel/work/fft_order.h | $(call setup,bench)
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) -std=gnu11 -O2 -Wall -Wextra -Werror -Ikernel -o $@ $(FFT_HOST_C) -lfftw3l -lfftw3 -lm

.PHONY: bench-fft
bench: bench-fft
bench-fft: $(FFT_HOST)
	$(Q)$(FFT_HOST)
