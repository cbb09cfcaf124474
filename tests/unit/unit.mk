# Unit tests: the kernel's own sources compiled for the host, with cmocka, under ASan and UBSan.
#
# A test is one file tests/unit/test_NAME.c and two words here: NAME in UNIT_NAMES, and
# unit_NAME_src, the kernel sources that it links (host.c and kprintf.c come by themselves).
# unit_NAME_check (default 1) is the CHECK level it is built with, unit_NAME_cflags are flags of
# its own. The binary is $(BUILD)/unit/test_NAME. From the Makefile: BUILD, HOSTCC, Q, UNIT_TESTS.

unit_lock := kernel/core/lock.c kernel/core/interleave.c

UNIT_NAMES += clock cmdline cmdline_values console kprintf ktap panic record stats trap
unit_clock_src          := kernel/perf/clock.c kernel/perf/calibrate.c kernel/core/record.c \
	kernel/core/crc32.c kernel/core/cmdline_values.c
unit_cmdline_src        := kernel/core/cmdline.c kernel/core/cmdline_values.c
unit_cmdline_values_src := kernel/core/cmdline_values.c
unit_console_src        := kernel/core/console.c kernel/core/cmdline.c kernel/core/cmdline_values.c
unit_kprintf_src        :=
unit_ktap_src           := kernel/core/ktap.c
unit_panic_src          := kernel/core/panic.c kernel/core/symbols.c kernel/core/exit.c \
	kernel/core/ktap.c kernel/core/record.c kernel/core/crc32.c kernel/core/cmdline.c \
	kernel/core/cmdline_values.c
unit_record_src         := kernel/core/record.c kernel/core/crc32.c kernel/lab/record_float.c
unit_stats_src          := kernel/lab/stats.c kernel/lab/student.c
unit_trap_src           := kernel/core/trap.c

UNIT_NAMES += mm_memmap mm_own mm_page mm_color mm_color_spec mm_buddy mm_buddy_junk mm_memory \
	mm_policy mm_vm mm_nodes
mm_values := kernel/core/cmdline.c kernel/core/cmdline_values.c
mm_whole  := $(addprefix kernel/mm/,account.c age.c buddy.c buddy_check.c color.c color_spec.c \
	lru.c memory.c nodes.c numa.c page.c pagevec.c pcp.c pcp_check.c policy.c \
	policy_state.c) $(sort $(wildcard kernel/mm/policy/*.c)) \
	$(mm_values) $(unit_lock)
unit_mm_memmap_src     := $(addprefix kernel/mm/,memmap.c memmap_options.c) $(mm_values)
unit_mm_own_src        := $(addprefix kernel/mm/,own.c own_window.c own_colors.c color.c) $(mm_values) \
	$(unit_lock)
unit_mm_page_src       := kernel/mm/page.c kernel/mm/numa.c $(mm_values)
unit_mm_color_src      := kernel/mm/color.c
unit_mm_color_spec_src := $(addprefix kernel/mm/,color.c color_spec.c) $(mm_values)
unit_mm_buddy_src      := tests/unit/mm_oracle.c \
	$(addprefix kernel/mm/,buddy.c buddy_check.c color.c lru.c nodes.c numa.c page.c \
	pagevec.c) $(unit_lock) $(mm_values)
unit_mm_buddy_junk_src := $(mm_whole)
unit_mm_buddy_junk_check := 2
unit_mm_memory_src     := tests/unit/mm_oracle.c tests/unit/mm_instance.c $(mm_whole)
unit_mm_policy_src     := $(unit_mm_memory_src)
unit_mm_nodes_src      := $(unit_mm_memory_src)
unit_mm_vm_src         := $(unit_mm_memory_src) $(addprefix kernel/mm/,vm.c vm_area.c vm_trace.c) \
	kernel/core/record.c kernel/core/crc32.c

UNIT_NAMES += lab_eviction lab_linear lab_factor lab_own lab_results lab_step lab_subject
unit_lab_eviction_src := kernel/lab/eviction.c kernel/mm/color.c
unit_lab_linear_src   := kernel/lab/linear.c kernel/mm/color.c
unit_lab_own_src     := $(addprefix kernel/lab/,own_log.c preset.c factor.c bundle.c axis.c) \
	$(addprefix kernel/mm/,own_colors.c color.c color_spec.c) kernel/core/record.c kernel/core/crc32.c \
	$(mm_values)
unit_lab_factor_src  := kernel/lab/factor.c kernel/lab/bundle.c kernel/core/cmdline.c kernel/core/cmdline_values.c \
	kernel/core/record.c kernel/core/crc32.c
unit_lab_results_src := kernel/lab/results.c kernel/lab/derived.c kernel/lab/stats.c \
	kernel/lab/student.c kernel/lab/record_float.c kernel/core/record.c kernel/core/crc32.c
unit_lab_step_src    := kernel/lab/step.c $(unit_lab_results_src)
unit_lab_subject_src := kernel/lab/subject.c kernel/lab/descriptors.c \
	$(addprefix kernel/mm/,memmap.c numa.c own_colors.c color.c page.c) $(mm_values)

UNIT_NAMES += work_conflict work_faults work_fft work_matmul
unit_work_conflict_src := kernel/work/conflict_theory.c
unit_work_faults_src   := kernel/work/faults_program.c kernel/work/faults_oracle.c
unit_work_fft_src      := kernel/work/fft_core.c kernel/work/fft_order.c kernel/work/fft_check.c
unit_work_matmul_src   := kernel/work/matmul_core.c

# Pure functions of the Alpha port, against the host's own.
UNIT_NAMES += alpha_fp
unit_alpha_fp_src    := arch/alpha/fp_soft.c
unit_alpha_fp_cflags := -Iarch/alpha -frounding-math

UNIT_NAMES += alpha_perfmon
unit_alpha_perfmon_src    := arch/alpha/perfmon.c
unit_alpha_perfmon_cflags := -Iarch/alpha

# Through -idirafter: <arch/boot.h> is the port's, the rest the host's.
UNIT_NAMES += hwrpb
unit_hwrpb_src    := boot/alpha/hwrpb_read.c
unit_hwrpb_cflags := -I. -Iboot/alpha -idirafter arch/alpha/include

# Parsers of the boot paths, which are pure functions over bytes.
UNIT_NAMES += boot_copy boot_multiboot2 boot_pvh boot_elf boot_words boot_info boot_leave
unit_boot_copy_src       := boot/x86_64/boot_copy.c tests/unit/sparse_memory.c
unit_boot_multiboot2_src := $(addprefix boot/x86_64/,boot_copy.c multiboot2.c multiboot2_map.c)
unit_boot_pvh_src        := boot/x86_64/boot_copy.c boot/x86_64/pvh.c tests/unit/sparse_memory.c
unit_boot_elf_src        := boot/efi/elf.c
unit_boot_words_src      := boot/efi/words.c
unit_boot_info_src       := boot/efi/info.c $(unit_boot_multiboot2_src)
unit_boot_leave_src      := boot/efi/leave.c
unit_boot_leave_cflags   := -DGNU_EFI_USE_MS_ABI -fshort-wchar -isystem /usr/include/efi \
	-isystem /usr/include/efi/x86_64
$(foreach t,copy multiboot2 pvh elf words info leave,$(eval unit_boot_$(t)_cflags += -Iboot/x86_64 \
	-Iboot/efi -DBOOT_DATA='"tests/data/boot"'))

UNIT_NAMES += mm_pagevec mm_pcp mm_numa
unit_mm_numa_src    := kernel/mm/numa.c kernel/mm/memmap.c arch/x86_64/srat.c
unit_mm_numa_cflags := -I.
unit_mm_pcp_src     := $(unit_mm_memory_src)
unit_mm_pagevec_src := $(addprefix kernel/mm/,pagevec.c lru.c numa.c page.c) $(unit_lock) $(mm_values)

UNIT_NAMES += cache_hash cache_table cache_pages cache_buffers cache_names
unit_cache_hash_src  := kernel/cache/hash.c $(mm_values)
unit_cache_table_src := kernel/cache/table.c kernel/cache/queue.c
unit_cache_pages_src := $(addprefix kernel/cache/,hash.c page_cache.c queue.c table.c) \
	kernel/work/file_cache.c kernel/work/files.c $(unit_mm_memory_src)
unit_cache_names_src := $(addprefix kernel/cache/,hash.c names.c table.c) kernel/work/name_caches.c \
	$(unit_mm_memory_src)
unit_cache_buffers_src := $(addprefix kernel/cache/,buffer.c hash.c queue.c table.c) \
	kernel/work/block_cache.c $(unit_mm_memory_src)

UNIT_NAMES += madt lock irq
unit_irq_src     := kernel/irq/irq.c kernel/irq/layout.c arch/x86_64/ioapic_line.c \
	$(unit_lock) kernel/core/cmdline.c kernel/core/cmdline_values.c
unit_irq_cflags  := -I.
unit_madt_src    := arch/x86_64/madt.c
unit_madt_cflags := -I.
unit_lock_src    := $(unit_lock) kernel/core/barrier.c

# The serial port's driver, on ports in memory or simulated; and how x86_64 looks for one.
UNIT_NAMES += uart uart_find
unit_uart_src         := kernel/core/uart.c kernel/core/cmdline_values.c
unit_uart_find_src    := arch/x86_64/uart_find.c
unit_uart_find_cflags := -I. -Iarch/x86_64

# Drivers of x86_64 on simulated registers; the tests include them, to start them over and over.
UNIT_NAMES += lapic lapic_timer ioapic cpu_state cpu_kind pmu
unit_cpu_kind_src       := kernel/core/cpu_kinds.c kernel/core/record.c kernel/core/crc32.c
unit_cpu_kind_cflags    := -I.
unit_cpu_state_src      :=
unit_cpu_state_cflags   := -I.
unit_ioapic_src         := $(unit_lock)
unit_ioapic_cflags      := -I.
unit_pmu_src            := kernel/perf/pmu.c kernel/core/record.c kernel/core/crc32.c \
	kernel/core/cmdline_values.c
unit_pmu_cflags         := -I.
unit_lapic_src          := tests/unit/apic_machine.c
unit_lapic_cflags       := -I.
unit_lapic_timer_src    := tests/unit/apic_machine.c kernel/core/record.c kernel/core/crc32.c
unit_lapic_timer_cflags := -I.

# -Wno-clobbered: assert_panics (host.h) is a setjmp, after which only locals are doubtful that the
# panicking statement itself changed.
UNIT_DIR := $(BUILD)/unit
UNIT_CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Wmissing-prototypes -Wno-missing-field-initializers -Werror \
	-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
	-fno-strict-aliasing -fno-toplevel-reorder -Wno-clobbered -Ikernel -Itests/unit/arch/include -Itests/unit

# $(1): NAME. Each test compiles its own objects, so that CHECK levels and flags do not mix.
define unit_rules
unit_$(1)_objs := $(patsubst %.c,$(UNIT_DIR)/$(1)/%.o,tests/unit/test_$(1).c tests/unit/host.c \
	kernel/core/kprintf.c $(filter-out kernel/core/kprintf.c,$(unit_$(1)_src)))
$$(unit_$(1)_objs): $(UNIT_DIR)/$(1)/%.o: %.c tests/unit/unit.mk | $(call setup,test) $(call setup,iso)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(HOSTCC) $$(UNIT_CFLAGS) -DCHECK=$$(or $$(unit_$(1)_check),1) $$(unit_$(1)_cflags) \
		-MMD -MP -c $$< -o $$@
$(UNIT_DIR)/test_$(1): $$(unit_$(1)_objs)
	$$(Q)$$(HOSTCC) $$(UNIT_CFLAGS) $$^ -o $$@ -lcmocka -lm
-include $$(unit_$(1)_objs:.o=.d)
endef

$(foreach t,$(UNIT_NAMES),$(eval $(call unit_rules,$(t))))
UNIT_TESTS += $(UNIT_NAMES:%=$(UNIT_DIR)/test_%)

# Those that do more with TT_LONG=1, as make test-long runs them: minutes instead of seconds.
UNIT_TESTS_LONG := $(UNIT_DIR)/test_mm_memory $(UNIT_DIR)/test_mm_nodes $(UNIT_DIR)/test_mm_pcp
