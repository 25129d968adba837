#!/usr/bin/env bash
# Packs what scripts/gpu-check.sh needs for a machine with a GPU but without Open MPI, OpenBLAS or a network:
# scripts/gpu-carry.sh
# The programs and the GPU's test of the build in build/, and the libraries that they load (CUDA's are there), in
# build/gpu-carry.tar.gz, some tens of MiB. Take that file and the sources along; gpu-check.sh unpacks it.
set -euo pipefail
cd "$(dirname "$0")/.."

for program in bin/einplan bin/einrun bin/eintool tests/on_gpu_test; do
    if [ ! -x "build/$program" ]; then
        echo "gpu-carry.sh: build first, with CUDA's headers: ./scripts/build.sh (build/$program is missing)" >&2
        exit 2
    fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/root"
strip -o "$work/bin/einplan" build/bin/einplan
strip -o "$work/bin/einrun" build/bin/einrun
strip -o "$work/bin/eintool" build/bin/eintool
strip -o "$work/bin/on_gpu_test" build/tests/on_gpu_test
kernels=build/bin/gpu_kernels
if [ -x $kernels ]; then strip -o "$work/bin/gpu_kernels" $kernels; fi    # scripts/bench/gpu_kernels.cpp

# Open MPI as it is installed, then every library that anything so far names; glibc's own are everywhere.
for package in openmpi-bin openmpi-common libopenmpi3 libpmix2; do
    dpkg -L "$package" | while read -r path; do
        if [ -f "$path" ] && [[ $path != */doc/* && $path != */man/* && $path != *.a ]]; then
            cp --parents -P "$path" "$work/root"
        fi
    done
done
ln -sf mpirun.openmpi "$work/root/usr/bin/mpirun"    # Debian's alternatives make this name
# ldd fails for scripts.
{ find "$work/bin" "$work/root" -type f \( -perm -u+x -o -name '*.so*' \) -print0 |
      xargs -0 ldd 2> /dev/null || true; } |
    sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' |
    grep -vE '/(libc|libm|libpthread|libdl|librt|ld-linux[^/]*|libresolv)\.so' | sort -u |
    while read -r library; do cp --parents -L "$library" "$work/root"; done
tar -C "$work" -czf build/gpu-carry.tar.gz bin root
echo "build/gpu-carry.tar.gz: $(($(stat -c %s build/gpu-carry.tar.gz) >> 20)) MiB;" \
    "on the other machine, in the sources' root: scripts/gpu-check.sh"
