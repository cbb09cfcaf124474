#!/bin/sh
# Sees which Debian packages of tools/packages.txt are missing, says so, and installs them.
#
#   tools/setup.sh [group...]      default: every group
#
# Called by the Makefile before anything that needs them; does nothing, quickly, when all is there.
# SETUP=no prints the command instead and exits 2. Nothing on the machine is changed but packages.
set -u

list=$(dirname "$0")/packages.txt

die()
{
    echo "setup: $*" >&2
    exit 2
}

for group; do
    grep -q "^\[$group\]" "$list" ||
        die "no group '$group' in $list; there are:$(sed -n 's/^\[\(.*\)\].*/ \1/p' "$list" | tr -d '\n')"
done

wanted=$(awk -v groups=" $* " '
    /^\[/ { name = substr($1, 2, length($1) - 2); on = groups ~ /^ *$/ || index(groups, " " name " ") }
    on && /^[a-z0-9]/ { print $1 }' "$list" | sort -u)

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "setup: no dpkg here, so packages cannot be checked. Debian calls what is needed:" $wanted >&2
    exit 0
fi

# dpkg-query complains about names that it has never heard of: those are missing, too.
there=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
    sed -n 's/^installed //p' | sort -u)
missing=
for package in $wanted; do
    case "
$there
" in
    *"
$package
"*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
echo "setup: missing packages:$missing"
if [ "${SETUP:-}" = no ]; then
    echo "setup: SETUP=no, so nothing is installed. As root: $install"
    exit 2
fi

if [ "$(id -u)" = 0 ]; then
    as_root="env DEBIAN_FRONTEND=noninteractive"
elif command -v sudo >/dev/null 2>&1; then
    # Without a terminal a password cannot be typed: sudo -n fails at once instead of waiting.
    [ -t 0 ] && as_root="sudo" || as_root="sudo -n"
    as_root="$as_root env DEBIAN_FRONTEND=noninteractive"
else
    die "neither root nor sudo here. As root: $install"
fi

# Another apt may be at work (a second make, unattended upgrades): wait for it, but not for ever.
apt="$as_root apt-get -q -o DPkg::Lock::Timeout=300"
refresh()
{
    echo "setup: apt-get update"
    $apt update </dev/null || die "apt-get update failed (network? sudo?). As root: apt-get update && $install"
}

fresh=
if ! ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1; then
    refresh
    fresh=yes
fi
echo "setup: $install"
if $apt install -y --no-install-recommends $missing </dev/null; then
    exit 0
fi
# Lists that are there may be stale: the versions they name are gone from the mirror.
if [ -z "$fresh" ]; then
    refresh
    $apt install -y --no-install-recommends $missing </dev/null && exit 0
fi
die "apt-get could not install:$missing. As root: $install"
