# Compiler and flags of the Alpha kernel.
alpha_CC := alpha-linux-gnu-gcc
alpha_NM := alpha-linux-gnu-nm

# -mieee: results as IEEE 754 wants them, by traps that fp_arith.c completes. 128-bit long double
# would call _Ots* functions that exist nowhere. No frame pointer: on Alpha it points to the bottom
# of a frame and leads nowhere; backtrace.c reads prologues.
alpha_CFLAGS := -mcpu=ev6 -mieee -mlong-double-64 -fno-pic -fno-pie -fomit-frame-pointer
alpha_NO_FP := -mno-fp-regs
alpha_LDFLAGS := -Wl,-z,max-page-size=8192 -Wl,-z,noexecstack -no-pie

# What newlib was built with and its headers have to know (tools/newlib.sh).
alpha_CPPFLAGS := -D__IEEE_LITTLE_ENDIAN -D_JBTYPE=long -D_JBLEN=20

# Floating point outside of lab/ and work/. trap_guard comes back without the returns of what it
# called: it has to save the floating point registers that belong to its caller, which it does not
# do where there are none. The other is a self-test of exactly that, and of the FPU.
alpha_WITH_FP := kernel/core/trap.c arch/alpha/selftest_fp.c
