/*
 * The EFI loader: starts the kernel on a UEFI machine without any other boot loader.
 *
 * Finds the kernel (embedded, or \tintype.elf of its own volume) and its command line (load
 * options, else \tintype.cfg), copies both and the modules, leaves boot services and enters the
 * kernel with Multiboot2 information. Whatever is wrong is said on the screen, and given back to
 * the firmware.
 */
#include "bytes.h"
#include "elf.h"
#include "info.h"
#include "leave.h"
#include "machine.h"
#include "words.h"

#include <efi.h>
#include <efilib.h>

#define KERNEL_PATH "\\tintype.elf"
#define CONFIG_PATH "\\tintype.cfg"
#define LOADER_NAME "Tintype EFI loader"

/* For a person to read the message, before the firmware goes on to what it boots next. */
#define READ_TIME_US 5000000

/* Tags but for the map: a command line and 16 labels are below 4 KiB. */
#define INFO_TAGS_BYTES 8192
/* Entries that allocating, and what the firmware does meanwhile, may add to the map. */
#define INFO_MAP_SPARE 64

extern const char embedded_kernel[], embedded_kernel_end[];

static struct words words;

static EFI_STATUS fail(EFI_STATUS status, const char *what, const char *why)
{
    Print(L"tintype: %a: %a", what, why);
    if (EFI_ERROR(status))
        Print(L" (%r)", status);
    Print(L"\n");
    BS->Stall(READ_TIME_US);
    return EFI_ERROR(status) ? status : EFI_LOAD_ERROR;
}

/* ---- command line -------------------------------------------------------------------------- */

/* Fills words, and *remark with what the log should know about it. */
static EFI_STATUS read_words(const EFI_LOADED_IMAGE *self, const char **remark)
{
    struct machine_file file;
    EFI_STATUS status = machine_read(self->DeviceHandle, CONFIG_PATH, &file);

    *remark = LOADER_NAME ", " CONFIG_PATH;
    if (status == EFI_NOT_FOUND)
        *remark = LOADER_NAME ", no " CONFIG_PATH;
    else if (EFI_ERROR(status))
        return fail(status, CONFIG_PATH, "cannot be read");
    else {
        const char *wrong = words_from_file(&words, file.at, file.bytes);

        if (wrong)
            return fail(EFI_SUCCESS, CONFIG_PATH, wrong);
    }

    switch (words_from_options(&words, self->LoadOptions, self->LoadOptionsSize)) {
    case OPTIONS_NONE:
        break;
    case OPTIONS_TAKEN:
        *remark = LOADER_NAME ", load options";
        break;
    case OPTIONS_NOT_TEXT:
        *remark = LOADER_NAME ", load options are no text: ignored";
        break;
    case OPTIONS_TOO_LONG:
        return fail(EFI_SUCCESS, "load options", "the command line is too long");
    }
    return EFI_SUCCESS;
}

/* ---- kernel -------------------------------------------------------------------------------- */

static EFI_STATUS find_kernel(const EFI_LOADED_IMAGE *self, struct machine_file *kernel)
{
    if (&embedded_kernel_end[0] > &embedded_kernel[0]) {
        kernel->at = (char *)(UINTN)embedded_kernel;
        kernel->bytes = (UINTN)(embedded_kernel_end - embedded_kernel);
        return EFI_SUCCESS;
    }

    EFI_STATUS status = machine_read(self->DeviceHandle, KERNEL_PATH, kernel);

    return EFI_ERROR(status) ? fail(status, KERNEL_PATH, "cannot be read") : EFI_SUCCESS;
}

/* Where the kernel was linked for if that is free, else where its header allows. */
static EFI_STATUS place_kernel(const struct elf_plan *plan, UINT64 *at)
{
    UINT64 bytes = plan->end - plan->start;
    EFI_PHYSICAL_ADDRESS a = plan->start;
    EFI_STATUS status =
        BS->AllocatePages(AllocateAddress, EfiLoaderCode, EFI_SIZE_TO_PAGES(bytes), &a);

    *at = a;
    if (!EFI_ERROR(status))
        return EFI_SUCCESS;
    if (!plan->highest)
        return fail(status, "kernel", "the place it is linked for is taken");

    /* The slack stays allocated: it is the kernel's memory a moment later. */
    a = plan->highest;
    status = BS->AllocatePages(AllocateMaxAddress, EfiLoaderCode,
                               EFI_SIZE_TO_PAGES(bytes + plan->align), &a);
    if (EFI_ERROR(status))
        return fail(status, "kernel", "no memory for it");
    *at = (a + plan->align - 1) & ~(plan->align - 1);
    if (*at < plan->lowest)
        return fail(EFI_SUCCESS, "kernel", "no memory for it where its header allows");
    return EFI_SUCCESS;
}

static EFI_STATUS load_kernel(const EFI_LOADED_IMAGE *self, UINT64 *entry)
{
    struct machine_file file;
    struct elf_plan plan;
    UINT64 at = 0;
    EFI_STATUS status = find_kernel(self, &file);

    if (EFI_ERROR(status))
        return status;

    const char *wrong = elf_read(&plan, file.at, file.bytes);

    if (wrong)
        return fail(EFI_SUCCESS, "kernel", wrong);
    status = place_kernel(&plan, &at);
    if (EFI_ERROR(status))
        return status;
    elf_copy(&plan, file.at, (void *)(UINTN)at);
    *entry = plan.entry - plan.start + at;
    return EFI_SUCCESS;
}

/* ---- information and the way out ----------------------------------------------------------- */

static EFI_STATUS load_modules(const EFI_LOADED_IMAGE *self, struct info *info)
{
    for (unsigned i = 0; i < words.modules; i++) {
        const struct words_module *m = &words.module[i];
        struct machine_file file;
        EFI_STATUS status = machine_read(self->DeviceHandle, m->path, &file);

        if (EFI_ERROR(status))
            return fail(status, m->path, "cannot be read");

        uint32_t start = (uint32_t)(UINTN)file.at;

        info_module(info, start, start + (uint32_t)file.bytes, m->label);
    }
    return EFI_SUCCESS;
}

static EFI_STATUS begin_info(struct info *info)
{
    EFI_PHYSICAL_ADDRESS at;
    UINTN map = 0, key, stride = 0;
    UINT32 version;

    /* Says how large the map is by saying that there is no room for it. */
    BS->GetMemoryMap(&map, NULL, &key, &stride, &version);

    UINTN bytes = INFO_TAGS_BYTES + map + INFO_MAP_SPARE * stride;
    EFI_STATUS status = machine_pages(bytes, EfiLoaderData, &at);

    if (EFI_ERROR(status))
        return fail(status, "boot information", "no memory for it");
    info_begin(info, (void *)(UINTN)at, bytes);
    return EFI_SUCCESS;
}

__attribute__((noreturn)) static void enter(UINT64 entry, const void *info)
{
    __asm__ volatile("cli\n\tcld\n\tjmp *%0" ::"r"(entry), "a"(MB2_BOOT_MAGIC), "b"(info)
                     : "memory");
    __builtin_unreachable();
}

static EFI_STATUS leave_and_enter(EFI_HANDLE image, struct info *info, UINT64 entry)
{
    struct leave_map map = {0};
    BOOLEAN tried;

    map.at = info_map(info, &map.room);

    EFI_STATUS status = leave_boot_services(BS, image, &map, &tried);

    if (EFI_ERROR(status)) /* after an attempt nobody can be told any more */
        return tried ? status : fail(status, "memory map", "cannot be had");
    info_end(info, map.bytes, (uint32_t)map.stride, map.version);
    enter(entry, info->at);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system); /* called by GNU-EFI's crt0 */

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    EFI_GUID guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    EFI_LOADED_IMAGE *self;
    const char *remark = "";
    struct info info;
    UINT64 entry = 0;

    InitializeLib(image, system);
    BS->SetWatchdogTimer(0, 0, 0, NULL); /* 5 minutes after our start it would reset the machine */

    EFI_STATUS status = BS->HandleProtocol(image, &guid, (void **)&self);

    if (EFI_ERROR(status))
        return fail(status, "loader", "the firmware does not say where it loaded this from");
    status = read_words(self, &remark);
    if (!EFI_ERROR(status))
        status = load_kernel(self, &entry);
    if (!EFI_ERROR(status))
        status = begin_info(&info);
    if (EFI_ERROR(status))
        return status;

    info_string(&info, MB2_CMDLINE, words.cmdline);
    info_string(&info, MB2_LOADER, remark);
    machine_describe(&info);
    status = load_modules(self, &info);
    if (EFI_ERROR(status))
        return status;
    if (info.full)
        return fail(EFI_SUCCESS, "boot information", "larger than its memory");
    return leave_and_enter(image, &info, entry);
}
