/*
 * Presets: a name for one or several command lines, for menus, for the seeds' reproductions, and
 * for machines whose command line holds 255 bytes.
 *
 * run=NAME with the name of a preset stands for the preset's stages, run one after the other in
 * one boot. Each stage starts from the defaults, takes its own words, then those of the command
 * line, which override them ("run=seed002 reps=3"). A workload stands in one stage at most, so
 * that its name names its samples.
 */
#ifndef TT_LAB_PRESET_H
#define TT_LAB_PRESET_H

#include "core/cmdline.h"
#include "core/registry.h"

#define PRESET_STAGES_MAX 8

struct preset {
    const char *name;
    const char *what;                         /* one line, for run=list and menus */
    const char *stage[PRESET_STAGES_MAX + 1]; /* words of each, with a run=; NULL-terminated */
};
DECLARE_REGISTRY(preset);

/* By name, NULL if there is none. */
const struct preset *preset_named(const char *name);

/* The preset that this command line asks for: run=NAME, or the default when there is no run=. NULL
 * when run= names experiments. */
const struct preset *preset_of(const char *cmdline);

/* Stages of a preset; 1 for NULL: the command line alone. */
unsigned preset_stages(const struct preset *p);

/*
 * Makes options, factors and axes those of a stage: defaults, the stage's words (none for NULL),
 * the command line. Returns the number of errors, each reported.
 */
unsigned preset_take(const struct preset *p, unsigned stage, const char *cmdline,
                     cmdline_report report, void *arg);

#endif
