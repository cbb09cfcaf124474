/* The factor `pcp`: per-CPU page lists in front of the free lists, mm/pcp.h. */
#include "lab/factor.h"

static int level_pcp(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    return pcp_parse(text, &s->pcp, err, err_bytes);
}

REGISTER_FACTOR(pcp, ',', "auto", "auto|off|BATCH:HIGH[,...]",
                "per-CPU page lists: pages fetched at once, and the most that a list keeps",
                level_pcp, NULL, NULL);
