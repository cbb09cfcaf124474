#!/bin/sh
# Builds newlib for a kernel: tools/newlib.sh ARCH OUTDIR [TARBALL]
#
# Installs OUTDIR/include and OUTDIR/lib (the same layout for every ARCH: x86_64, alpha). The
# Makefile runs it once, and again when this file changes. Quiet when all goes well; else the end
# of the log. Nothing outside OUTDIR is touched.
set -eu

arch=$1
out=$2
tarball=${3:-}

die()
{
    echo "newlib: $*" >&2
    exit 1
}

if [ -z "$tarball" ]; then
    for t in /usr/src/newlib/newlib-*.tar.*; do
        [ -f "$t" ] && tarball=$t
    done
fi
[ -f "$tarball" ] || die "no sources (Debian package newlib-source: /usr/src/newlib/newlib-*.tar.xz)"

# -nostdinc with the compiler's own headers: no header of the host's C library can leak in.
# __DYNAMIC_REENT__: newlib asks __getreent() for its state, so every thread can have its own.
case $arch in
x86_64)
    # The kernel is in the top 2 GiB and takes interrupts on the current stack: no red zone.
    host=x86_64-elf
    tool=
    cc=gcc
    machine='-mno-red-zone -mcmodel=kernel -fcf-protection=none'
    ;;
alpha)
    # newlib does not know Alpha. ia64's entry in its configure.host is empty, so that name gives
    # generic C throughout; what it would leave to an architecture follows as definitions: byte
    # order, and a jmp_buf of 20 longs for s0-s6, ra, sp and f2-f9 (kernel code that includes
    # newlib's headers needs the same definitions). 128-bit long double would call _Ots*
    # functions that exist nowhere.
    host=ia64-elf
    tool=alpha-linux-gnu-
    cc=alpha-linux-gnu-gcc
    machine='-mcpu=ev6 -mieee -mlong-double-64 -D__IEEE_LITTLE_ENDIAN -D_JBTYPE=long -D_JBLEN=20'
    ;;
*)
    die "ARCH=$arch: valid are x86_64 and alpha"
    ;;
esac
command -v $cc >/dev/null || die "$cc: not found"

flags="-O2 -g0 -ffreestanding -nostdinc -isystem $($cc -print-file-name=include) $machine
    -fno-pic -fno-pie -fno-stack-protector -fno-asynchronous-unwind-tables
    -ffunction-sections -fdata-sections -D__DYNAMIC_REENT__"
flags=$(echo $flags) # one line: it goes into a make variable

rm -rf "$out"
mkdir -p "$out/src" "$out/obj"
out=$(cd "$out" && pwd)
log=$out/build.log

quietly()
{
    if ! "$@" >>"$log" 2>&1; then
        tail -n 30 "$log" >&2
        die "failed: $1 (whole log: $log)"
    fi
}

quietly tar -C "$out/src" --strip-components=1 -xf "$tarball"
cd "$out/obj"
# - elix level 2: level 1 leaves strtod without its locale, more is not needed.
# - neither nano variant: its printf does not know %lld and %zu.
quietly "$out/src/newlib/configure" --build=x86_64-pc-linux-gnu --host=$host --prefix="$out/prefix" \
    --with-newlib --disable-multilib --disable-newlib-supplied-syscalls \
    --enable-newlib-io-c99-formats --enable-newlib-io-long-long \
    --enable-newlib-retargetable-locking --enable-newlib-global-stdio-streams \
    --enable-newlib-global-atexit --disable-newlib-fvwrite-in-streamio \
    --disable-newlib-wide-orient --enable-newlib-elix-level=2 --cache-file=config.cache \
    CC=$cc AS=${tool}as AR=${tool}ar RANLIB=${tool}ranlib MAKEINFO=true \
    CFLAGS="$flags" CCASFLAGS="$flags"
# Its own make, whatever flags the one that started us had (-j without a job server, say).
quietly env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -j"$(nproc)"
quietly env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make install

mv "$out/prefix/$host/include" "$out/include"
mv "$out/prefix/$host/lib" "$out/lib"
cd "$out"
rm -rf src obj prefix
[ -f lib/libc.a ] && [ -f lib/libm.a ] && [ -f include/stdio.h ] || die "nothing was installed in $out"
