/* The loader's \tintype.cfg (first byte even) or load options (odd) of any content. */
#include "fuzz.h"

#include "words.h"

#include <string.h>

/* What reaches the kernel is text that it can print. */
static void check_text(const char *s, size_t room)
{
    must(memchr(s, 0, room));
    for (; *s; s++)
        must((*s >= ' ' && *s < 0x7f) || *s == '\t');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct words w;

    memset(&w, 0, sizeof w);
    if (!bytes)
        return 0;
    if (data[0] % 2)
        words_from_options(&w, data + 1, bytes - 1);
    else
        words_from_file(&w, (const char *)data + 1, bytes - 1);
    check_text(w.cmdline, sizeof w.cmdline);
    must(w.modules <= WORDS_MODULES_MAX);
    for (unsigned i = 0; i < w.modules; i++) {
        check_text(w.module[i].path, sizeof w.module[i].path);
        check_text(w.module[i].label, sizeof w.module[i].label);
        must(w.module[i].path[0]);
    }
    return 0;
}
