#!/bin/sh
# Makes the hybrid ISO: GRUB for BIOS and for UEFI, the kernel, a menu. As a CD or dd'ed to a disk.
#
#   boot/iso.sh KERNEL GRUB.CFG OUT.iso [MODULE...]
#
# Files MODULE go to /boot under their own names, for module2 lines in GRUB.CFG. Fails, and leaves no
# ISO, when either platform is missing from the result: grub-mkrescue itself says nothing then.
set -u

die()
{
    echo "iso: $*" >&2
    exit 1
}

[ $# -ge 3 ] || die "usage: boot/iso.sh KERNEL GRUB.CFG OUT.iso [MODULE...]"
kernel=$1 config=$2 out=$3
shift 3

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir -p "$tree/boot/grub" || exit 1
objcopy --strip-all "$kernel" "$tree/boot/tintype.elf" || die "$kernel cannot be copied"
grub-file --is-x86-multiboot2 "$tree/boot/tintype.elf" || die "$kernel has no Multiboot2 header"
cp "$config" "$tree/boot/grub/grub.cfg" || exit 1
for module; do
    cp "$module" "$tree/boot/" || exit 1
done

# What the menu uses and no more, no translations, fonts and themes: 5 MB instead of 20. The part_
# modules are what grub-mkrescue's own start-up loads on UEFI: each one missing is an error message.
modules="normal multiboot2 iso9660 fat part_gpt part_msdos part_acorn part_amiga
         part_bsd part_dfly part_dvh part_plan part_sun part_sunpc configfile search search_fs_file
         search_label serial terminal terminfo echo test read reboot halt all_video"

if ! grub-mkrescue -o "$out.new" --install-modules="$(echo $modules)" --locales= --themes= \
    --fonts= "$tree" >"$work/messages" 2>&1; then
    cat "$work/messages" >&2
    rm -f "$out.new"
    die "grub-mkrescue failed"
fi

for platform in BIOS UEFI; do
    xorriso -indev "$out.new" -report_el_torito plain 2>/dev/null |
        grep -q "^El Torito boot img.* $platform " || {
        rm -f "$out.new"
        die "the image does not boot by $platform: is grub-pc-bin or grub-efi-amd64-bin missing?"
    }
done
mv "$out.new" "$out"
