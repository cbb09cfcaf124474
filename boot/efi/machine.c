/* Files, memory, tables and screen of an EFI machine (machine.h). */
#include "machine.h"

#include "bytes.h"

#include <efilib.h>

#define BELOW_4G 0xffffffffull

EFI_STATUS machine_pages(UINTN bytes, EFI_MEMORY_TYPE type, EFI_PHYSICAL_ADDRESS *at)
{
    *at = BELOW_4G;
    return BS->AllocatePages(AllocateMaxAddress, type, EFI_SIZE_TO_PAGES(bytes), at);
}

/* ---- files --------------------------------------------------------------------------------- */

static EFI_STATUS open_file(EFI_HANDLE device, const char *path, EFI_FILE_PROTOCOL **file)
{
    EFI_GUID guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
    EFI_SIMPLE_FILE_SYSTEM_PROTOCOL *volume;
    EFI_FILE_PROTOCOL *root;
    CHAR16 name[128];
    UINTN n = 0;

    for (; n < sizeof(name) / sizeof(name[0]) - 1 && path[n]; n++)
        name[n] = (CHAR16)path[n];
    name[n] = 0;

    if (!device || EFI_ERROR(BS->HandleProtocol(device, &guid, (void **)&volume)))
        return EFI_NOT_FOUND;

    EFI_STATUS status = volume->OpenVolume(volume, &root);

    if (EFI_ERROR(status))
        return status;
    status = root->Open(root, file, name, EFI_FILE_MODE_READ, 0);
    root->Close(root);
    return status;
}

/* The size is asked for by seeking to the end: GetInfo's answer is of unknown length. */
static EFI_STATUS file_size(EFI_FILE_PROTOCOL *file, UINT64 *bytes)
{
    EFI_STATUS status = file->SetPosition(file, ~0ull);

    if (!EFI_ERROR(status))
        status = file->GetPosition(file, bytes);
    if (!EFI_ERROR(status))
        status = file->SetPosition(file, 0);
    return status;
}

EFI_STATUS machine_read(EFI_HANDLE device, const char *path, struct machine_file *out)
{
    EFI_FILE_PROTOCOL *file;
    EFI_PHYSICAL_ADDRESS at = 0;
    UINT64 bytes = 0;
    EFI_STATUS status = open_file(device, path, &file);

    if (EFI_ERROR(status))
        return status;
    status = file_size(file, &bytes);
    if (!EFI_ERROR(status))
        status = machine_pages(bytes + 1, EfiLoaderData, &at); /* + 1: an empty file has a page */
    out->at = (char *)(UINTN)at;
    out->bytes = 0;
    while (!EFI_ERROR(status) && out->bytes < bytes) {
        UINTN n = bytes - out->bytes;

        status = file->Read(file, &n, out->at + out->bytes);
        out->bytes += n;
        if (!EFI_ERROR(status) && n == 0)
            status = EFI_END_OF_FILE; /* shorter than its directory entry says */
    }
    file->Close(file);
    return status;
}

/* ---- tables and screen --------------------------------------------------------------------- */

static const void *find_table(EFI_GUID guid)
{
    for (UINTN i = 0; i < ST->NumberOfTableEntries; i++) {
        if (CompareGuid(&ST->ConfigurationTable[i].VendorGuid, &guid) == 0)
            return ST->ConfigurationTable[i].VendorTable;
    }
    return NULL;
}

/* The pointer is copied, as Multiboot2 has it: 36 bytes since ACPI 2.0, 20 before. */
static void describe_acpi(struct info *info)
{
    static const EFI_GUID guid_v1 = ACPI_TABLE_GUID, guid_v2 = ACPI_20_TABLE_GUID;
    const void *v2 = find_table(guid_v2), *v1 = find_table(guid_v1);
    void *to;

    if (v2 && (to = info_tag(info, MB2_RSDP_V2, 36)))
        bytes_copy(to, v2, 36);
    if (v1 && (to = info_tag(info, MB2_RSDP_V1, 20)))
        bytes_copy(to, v1, 20);
}

static UINT8 bits_per_pixel(const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *mode)
{
    UINT32 all = mode->PixelInformation.RedMask | mode->PixelInformation.GreenMask |
                 mode->PixelInformation.BlueMask | mode->PixelInformation.ReservedMask;

    switch (mode->PixelFormat) {
    case PixelRedGreenBlueReserved8BitPerColor:
    case PixelBlueGreenRedReserved8BitPerColor:
        return 32;
    case PixelBitMask:
        return all > 0xffffff ? 32 : all > 0xffff ? 24 : 16;
    default: /* no memory that could be written to */
        return 0;
    }
}

static void describe_screen(struct info *info)
{
    EFI_GUID guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
    EFI_GRAPHICS_OUTPUT_PROTOCOL *gop;

    if (EFI_ERROR(BS->LocateProtocol(&guid, NULL, (void **)&gop)) || !gop->Mode || !gop->Mode->Info)
        return;

    const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *mode = gop->Mode->Info;
    UINT8 bits = bits_per_pixel(mode);
    struct mb2_framebuffer *to;

    if (!bits || !(to = info_tag(info, MB2_FRAMEBUFFER, sizeof(*to) - sizeof(to->tag))))
        return;
    to = (struct mb2_framebuffer *)((struct mb2_tag *)to - 1);
    to->base = gop->Mode->FrameBufferBase;
    to->pitch_bytes = mode->PixelsPerScanLine * bits / 8;
    to->width = mode->HorizontalResolution;
    to->height = mode->VerticalResolution;
    to->bits_per_pixel = bits;
    to->type = MB2_FRAMEBUFFER_RGB;
}

void machine_describe(struct info *info)
{
    UINT64 *table = info_tag(info, MB2_EFI64, sizeof(*table));

    if (table)
        *table = (UINTN)ST;
    describe_acpi(info);
    describe_screen(info);
}
