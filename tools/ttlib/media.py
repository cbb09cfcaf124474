"""Media for the ways to boot that have no -append: GRUB's ISO, and a FAT volume with our EFI loader.

Each carries one command line and boots it without a menu. The menu is `make iso`'s.
"""

import os
import shutil
import subprocess
import tempfile

from .errors import Usage

WAYS = ("bios", "uefi", "efi")

OVMF_CODE = "/usr/share/OVMF/OVMF_CODE_4M.fd"
OVMF_VARS = "/usr/share/OVMF/OVMF_VARS_4M.fd"

ISO_SCRIPT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../boot/iso.sh")

GRUB_CONFIG = """insmod all_video
multiboot2 /boot/tintype.elf {words}
{modules}boot
"""


def grub_words(cmdline):
    """The kernel's words in GRUB's quoting: GRUB would expand a $ and undo quotes of ours."""
    if "'" in cmdline or "\\" in cmdline:
        raise Usage("GRUB cannot pass ' or \\ on: use --boot kernel or efi")
    if cmdline.count('"') % 2:
        raise Usage('a " on the command line is opened and not closed')
    words, quoted = [""], False
    for character in cmdline:
        if character == '"':
            quoted = not quoted
        elif character.isspace() and not quoted:
            words.append("")
        else:
            words[-1] += character
    return " ".join(f"'{word}'" for word in words if word)


def grub_config(cmdline, modules=()):
    """modules: (path, label) each; GRUB finds them in /boot under their own names."""
    lines = "".join(f"module2 /boot/{os.path.basename(path)} {label}\n" for path, label in modules)
    return GRUB_CONFIG.format(words=grub_words(cmdline), modules=lines)


def make_iso(kernel, config, path, modules=()):
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(config)
        file.flush()
        argv = ["sh", ISO_SCRIPT, kernel, file.name, path, *(module for module, _ in modules)]
        done = subprocess.run(argv, capture_output=True, text=True)
    if done.returncode:
        raise Usage(f"no ISO: {done.stderr.strip()} (tools/setup.sh iso)")
    return path


def make_volume(kernel, cmdline, folder, modules=()):
    """A folder as QEMU shows it to the firmware as a FAT volume."""
    loader = os.path.join(os.path.dirname(kernel), "esp/EFI/BOOT/BOOTX64.EFI")
    if not os.path.exists(loader):
        raise Usage(f"{loader}: no such loader; `make iso` builds it")
    target = os.path.join(folder, "EFI/BOOT")
    os.makedirs(target)
    shutil.copy(loader, target)
    shutil.copy(kernel, os.path.join(folder, "tintype.elf"))
    with open(os.path.join(folder, "tintype.cfg"), "w", encoding="ascii", errors="replace") as file:
        file.write(cmdline + "\n")
        for path, label in modules:
            shutil.copy(path, folder)
            file.write(f"module \\{os.path.basename(path)} {label}\n")
    return folder


def firmware(way):
    """QEMU's arguments. UEFI's variables are fresh each time: old ones remember a boot order."""
    if way == "bios":
        return []
    for path in (OVMF_CODE, OVMF_VARS):
        if not os.path.exists(path):
            raise Usage(f"{path}: no UEFI firmware (tools/setup.sh iso)")
    return [
        *("-drive", f"if=pflash,format=raw,readonly=on,file={OVMF_CODE}"),
        *("-drive", f"if=pflash,format=raw,snapshot=on,file={OVMF_VARS}"),
    ]


def arguments(way, kernel, cmdline):
    """QEMU's arguments for a way, and the folder of its medium, which goes with the object."""
    folder = tempfile.TemporaryDirectory(prefix="tt-boot-")
    argv = firmware(way)
    if way == "efi":
        volume = make_volume(kernel, cmdline, os.path.join(folder.name, "volume"))
        argv += ["-drive", f"if=virtio,format=raw,readonly=on,file=fat:{volume}"]
    else:
        config = grub_config(cmdline)
        argv += ["-cdrom", make_iso(kernel, config, os.path.join(folder.name, "tintype.iso"))]
    return argv, folder
