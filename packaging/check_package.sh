#!/usr/bin/env bash
# Checks a .deb as its users would meet it: packaging/check_package.sh FILE.deb
# lintian finds no error; in a fresh Debian 12 apt installs it, docs/python.md and examples run on 4 ranks, jobs run under
# Slurm, the example that links the library is built, and removing it leaves nothing behind. Takes some minutes and 2 GB
# in TMPDIR. Needs root, lintian, debootstrap. EIN_FRESH names a folder in which the Debian tree is kept for the next
# time.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

if [ $# != 1 ] || [ "$1" = -h ] || [ "$1" = --help ]; then sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2; fi
deb=$(realpath "$1")
[ -f "$deb" ] || { echo "check_package.sh: expected a .deb, found no file $deb" >&2; exit 2; }
for tool in lintian debootstrap; do
    command -v $tool > /dev/null || { echo "check_package.sh: $tool is missing: apt-get install $tool" >&2; exit 2; }
done
[ "$(id -u)" = 0 ] || { echo "check_package.sh: expected root, which debootstrap and chroot need" >&2; exit 2; }

echo "== lintian"
lintian --fail-on error --tag-display-limit 0 "$deb"

# A tree that is made once, and an overlay of it that ends with the namespace that it is in.
fresh=${EIN_FRESH:-$(mktemp -d)}
[ -n "${EIN_FRESH:-}" ] || trap 'rm -rf "$fresh"' EXIT
if [ ! -e "$fresh/base/complete" ]; then
    echo "== a fresh Debian 12"
    rm -rf "$fresh/base"
    mkdir -p "$fresh"
    mirror=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources 2> /dev/null | head -n 1)
    debootstrap --variant=minbase --include=ca-certificates bookworm "$fresh/base" "$mirror" > "$fresh/log" 2>&1 ||
        { tail "$fresh/log" >&2; exit 1; }
    cp -r /etc/apt/apt.conf.d/. "$fresh/base/etc/apt/apt.conf.d/"
    printf '#!/bin/sh\nexit 101\n' > "$fresh/base/usr/sbin/policy-rc.d"   # no services
    chmod +x "$fresh/base/usr/sbin/policy-rc.d"
    touch "$fresh/base/complete"
fi

export fresh deb here
# shellcheck disable=SC2016  # the inner shell's variables
unshare --mount --propagation private --pid --fork --kill-child bash -euc '
    mkdir -p "$fresh/overlay"
    mount -t tmpfs -o size=4g tmpfs "$fresh/overlay"
    mkdir "$fresh"/overlay/{up,work,root}
    mount -t overlay overlay -o "lowerdir=$fresh/base,upperdir=$fresh/overlay/up,workdir=$fresh/overlay/work" \
        "$fresh/overlay/root"
    root=$fresh/overlay/root
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    mount -t tmpfs tmpfs "$root/tmp"
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    cp "$deb" "$here/check_installed.sh" "$here/../tests/end_to_end/slurm_here.sh" "$root/tmp/"
    exec env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        DEBIAN_FRONTEND=noninteractive chroot "$root" bash /tmp/check_installed.sh "/tmp/$(basename "$deb")"'
echo "the package is sound"
