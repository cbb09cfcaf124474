/* Formatted text through newlib. */
#include "lab/say.h"

#include "core/console.h"

#include <stdarg.h>
#include <stdio.h>

void say(const char *fmt, ...)
{
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n > 0)
        console_write(line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}
