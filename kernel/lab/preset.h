/*
 * Presets: a name for a long command line, for menus, for seeds' reproductions, for 256 bytes.
 *
 * run=NAME with the name of a preset stands for the preset's words; words that follow on the
 * command line override them ("run=seed002 reps=3").
 */
#ifndef TT_LAB_PRESET_H
#define TT_LAB_PRESET_H

#include "core/registry.h"

struct preset {
    const char *name;
    const char *what;  /* one line, for run=list and menus */
    const char *words; /* run= and whatever else it needs */
};
DECLARE_REGISTRY(preset);

/* By name, NULL if there is none. */
const struct preset *preset_named(const char *name);

/* The preset that this command line asks for: run=NAME, or the default when there is no run=. NULL
 * when run= names experiments. */
const struct preset *preset_of(const char *cmdline);

#endif
