# Compiler and flags of the x86_64 kernel.
CC_K := gcc
NM_K := nm
ARCH_CFLAGS := -m64 -march=x86-64 -mcmodel=kernel -mno-red-zone -fno-pic -fno-pie -fcf-protection=none
ARCH_NO_FP := -mgeneral-regs-only
ARCH_LDFLAGS := -Wl,-z,max-page-size=4096 -Wl,-z,noexecstack -no-pie
