# The ways to boot x86_64 besides QEMU's -kernel: GRUB's ISO and our EFI loader.
#
# BOOT=bios, uefi: GRUB from the ISO. BOOT=efi: our loader and the kernel on a FAT volume. `tt run`
# puts the command line into a medium of its own, with boot/iso.sh; `make iso` makes one to keep.

BOOTS_iso := bios uefi efi
ifneq ($(filter-out kernel $(BOOTS_iso),$(BOOT)),)
$(error BOOT=$(BOOT): valid are kernel, bios, uefi and efi)
endif
ifneq ($(filter $(BOOTS_iso),$(BOOT)),)
ifneq ($(ARCH),x86_64)
$(error BOOT=$(BOOT) is for ARCH=x86_64 only)
endif
endif

ISO := $(OUT)/tintype.iso
ESP := $(OUT)/esp
LOADER := $(ESP)/EFI/BOOT/BOOTX64.EFI
LOADER_EMBED := $(OUT)/tintype.efi
EFI_OUT := $(OUT)/boot/efi
EFI_O := $(patsubst boot/%.c,$(OUT)/boot/%.o,$(wildcard boot/efi/*.c))

# What a run of this BOOT needs besides the kernel.
BOOT_DEPS := $(if $(filter efi,$(BOOT)),$(LOADER))
BOOT_SETUP = $(if $(filter $(BOOTS_iso),$(BOOT)),$(call setup,iso))

# What tests/system boots besides kernels.
TEST_MEDIA := $(if $(filter x86_64,$(ARCH)),$(ISO) $(LOADER) $(LOADER_EMBED))

# MS ABI: the firmware is called by plain C calls. fpic: the firmware loads it anywhere. The stack of
# the firmware has no red zone.
EFI_CFLAGS := -std=gnu11 -O2 -g $(WARN) -ffreestanding -fpic -fshort-wchar -mno-red-zone \
	-fno-stack-protector -maccumulate-outgoing-args -DGNU_EFI_USE_MS_ABI -Iboot/x86_64 \
	-isystem /usr/include/efi -isystem /usr/include/efi/x86_64
EFI_LDFLAGS := -nostdlib -znocombreloc -shared -Bsymbolic -z noexecstack --no-undefined \
	-T /usr/lib/elf_x86_64_efi.lds -L/usr/lib /usr/lib/crt0-efi-x86_64.o
EFI_SECTIONS := .text .sdata .data .rodata .dynamic .dynsym .rel .rela .rel.* .rela.* .reloc

$(EFI_OUT)/%.o: boot/efi/%.c boot/boot.mk | $(call setup,iso)
	$(Q)mkdir -p $(@D)
	$(call say,CC,$<)gcc $(EFI_CFLAGS) -MMD -MP -c -o $@ $<

# The kernel without symbols (it carries its own table), as it goes on media and into the loader.
$(EFI_OUT)/kernel.elf: $(KERNEL)
	$(Q)mkdir -p $(@D)
	$(Q)objcopy --strip-all $< $@
$(EFI_OUT)/embedded.o: boot/efi/embedded.S $(EFI_OUT)/kernel.elf | $(call setup,iso)
	$(Q)gcc -DEMBED='"$(EFI_OUT)/kernel.elf"' -c -o $@ $<
$(EFI_OUT)/not-embedded.o: boot/efi/embedded.S | $(call setup,iso)
	$(Q)mkdir -p $(@D)
	$(Q)gcc -c -o $@ $<

LINK_EFI = ld $(EFI_LDFLAGS) $(filter %.o,$^) -o $(EFI_OUT)/$(@F).so -lefi -lgnuefi && \
	objcopy $(EFI_SECTIONS:%=-j '%') --target efi-app-x86_64 --subsystem=10 $(EFI_OUT)/$(@F).so $@
$(LOADER): $(EFI_O) $(EFI_OUT)/not-embedded.o
	$(Q)mkdir -p $(@D)
	$(call say,LD,$@)$(LINK_EFI)
$(LOADER_EMBED): $(EFI_O) $(EFI_OUT)/embedded.o
	$(call say,LD,$@)$(LINK_EFI)

$(ISO): $(KERNEL) boot/iso.sh boot/grub.cfg | $(call setup,iso)
	$(call say,ISO,$@)sh boot/iso.sh $< boot/grub.cfg $@

ifeq ($(ARCH),x86_64)
iso: $(ISO) $(LOADER) $(LOADER_EMBED)
	@ls -l $^
else
iso:
	@echo 'make iso is for ARCH=x86_64 only' >&2; false
endif

-include $(EFI_O:.o=.d)
