/* Error codes of the kernel's own functions, returned negative. newlib's <errno.h> is separate. */
#ifndef TT_CORE_ERRNO_H
#define TT_CORE_ERRNO_H

enum {
    TT_ENOENT = 2,
    TT_ENOMEM = 12,
    TT_EFAULT = 14,
    TT_EBUSY = 16,
    TT_EEXIST = 17,
    TT_ENODEV = 19,
    TT_EINVAL = 22,
    TT_ENOSPC = 28,
    TT_ERANGE = 34,
    TT_ETIMEDOUT = 110,
};

#endif
