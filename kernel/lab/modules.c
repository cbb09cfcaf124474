/* Boot modules. Contract in modules.h. */
#include "lab/modules.h"

#include "arch.h"

static const struct boot_info *boot;

void lab_modules_init(const struct boot_info *bi)
{
    boot = bi;
}

bool lab_module(unsigned i, struct lab_module *m)
{
    if (!boot || i >= boot->module_count)
        return false;
    const struct boot_module *from = &boot->module[i];
    *m = (struct lab_module){.data = arch_phys_to_virt(from->at.start),
                             .bytes = phys_range_bytes(from->at),
                             .label = from->label};
    return true;
}
