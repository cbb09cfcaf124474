# Compiler and flags of the x86_64 kernel.
x86_64_CC := gcc
x86_64_NM := nm
x86_64_CFLAGS := -m64 -march=x86-64 -mcmodel=kernel -mno-red-zone -fno-pic -fno-pie -fcf-protection=none
x86_64_NO_FP := -mgeneral-regs-only
x86_64_LDFLAGS := -Wl,-z,max-page-size=4096 -Wl,-z,noexecstack -no-pie
