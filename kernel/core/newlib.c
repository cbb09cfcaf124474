/*
 * newlib's system calls. See newlib.h; the locks are in newlib_lock.c.
 *
 * newlib is built without names of its own for these (no leading underscore) and with
 * __DYNAMIC_REENT__: errno and the stdio state of a thread are in the struct _reent that
 * __getreent returns.
 */
#include "core/newlib.h"

#include "core/console.h"
#include "core/cpu.h"
#include "core/panic.h"

#include <assert.h>
#include <errno.h>
#include <reent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* A CPU runs one thread at a time, and a call of the library is over before another thread runs. */
static PER_CPU(struct _reent, reents);

static void *(*heap_grow)(ptrdiff_t delta);

void newlib_init_cpu(unsigned id)
{
    _REENT_INIT_PTR(&cpu_of(reents, id));
}

void newlib_init(void *(*grow)(ptrdiff_t delta))
{
    heap_grow = grow;
    newlib_init_cpu(0);
}

struct _reent *__getreent(void)
{
    return &this_of(reents);
}

void *sbrk(ptrdiff_t delta)
{
    void *old = heap_grow ? heap_grow(delta) : NULL;
    if (old)
        return old;
    errno = ENOMEM;
    return (void *)-1;
}

/* ---- the console as files 0, 1 and 2 ------------------------------------------------------- */

_READ_WRITE_RETURN_TYPE write(int fd, const void *data, size_t n)
{
    if (fd != STDOUT_FILENO && fd != STDERR_FILENO) {
        errno = EBADF;
        return -1;
    }
    console_write(data, n);
    return (_READ_WRITE_RETURN_TYPE)n;
}

/* The console has no input: end of file. */
_READ_WRITE_RETURN_TYPE read(int fd, void *data, size_t n)
{
    (void)data, (void)n;
    if (fd == STDIN_FILENO)
        return 0;
    errno = EBADF;
    return -1;
}

/* A character device: stdio then writes line by line. */
int fstat(int fd, struct stat *st)
{
    if (fd < STDIN_FILENO || fd > STDERR_FILENO) {
        errno = EBADF;
        return -1;
    }
    *st = (struct stat){.st_mode = S_IFCHR};
    return 0;
}

int isatty(int fd)
{
    if (fd >= STDIN_FILENO && fd <= STDERR_FILENO)
        return 1;
    errno = EBADF;
    return 0;
}

off_t lseek(int fd, off_t offset, int whence)
{
    (void)fd, (void)offset, (void)whence;
    errno = ESPIPE;
    return -1;
}

int close(int fd)
{
    (void)fd;
    errno = EBADF;
    return -1;
}

/* ---- processes ----------------------------------------------------------------------------- */

pid_t getpid(void)
{
    return 1;
}

/* Of assert(), in newlib's own functions. newlib's would bring a second printf with it, 5 KiB. */
void __assert_func(const char *file, int line, const char *function, const char *failed)
{
    panic("newlib: %s:%d, %s: %s", file, line, function ? function : "?", failed);
}

/* abort raises SIGABRT. */
int kill(pid_t pid, int sig)
{
    (void)pid;
    panic("newlib: signal %d raised", sig);
}

void _exit(int status)
{
    panic("newlib: exit(%d) called", status);
}
