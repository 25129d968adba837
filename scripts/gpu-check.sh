#!/usr/bin/env bash
# Checks and measures Einloom on a machine with an NVIDIA GPU, in a few minutes:
# scripts/gpu-check.sh [--tests | --bench] [ROWS OF THE TABLE...]
# Takes the build in build/; without one what scripts/gpu-carry.sh packed (build/gpu-carry.tar.gz); without that builds.
# Runs every kind of kernel, random graphs at 1 and 2 ranks and all examples on the GPU against the reference, then
# prints one table beside PyTorch.
# Exit code 1 when a test fails; the table's figures decide nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

tests=yes bench=yes
case "${1:-}" in
    --tests) bench=no; shift ;;
    --bench) tests=no; shift ;;
    -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac

root=
if [ -x build/bin/einrun ] && [ -x build/tests/on_gpu_test ] && build/bin/einrun --version > /dev/null 2>&1; then
    bin=build/bin test=build/tests/on_gpu_test
else
    if [ ! -f build/gpu-carry.tar.gz ]; then ./scripts/build.sh; fi
    if [ -f build/gpu-carry.tar.gz ]; then
        root=$PWD/build/gpu-carry
        rm -rf "$root" && mkdir -p "$root" && tar -C "$root" -xzf build/gpu-carry.tar.gz
        bin=$root/bin test=$root/bin/on_gpu_test
        export OPAL_PREFIX=$root/root/usr PATH=$root/root/usr/bin:$PATH PMIX_INSTALL_PREFIX=$root/root/usr
        libraries=$root/root/usr/lib/x86_64-linux-gnu
        libraries+=:$libraries/openblas-pthread:$root/root/lib/x86_64-linux-gnu
        export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    else
        bin=build/bin test=build/tests/on_gpu_test
    fi
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export EINLOOM_CACHE=${EINLOOM_CACHE:-$PWD/build/gpu-cache}
mkdir -p "$EINLOOM_CACHE"
if command -v nvidia-smi > /dev/null; then
    nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader
fi

status=0
if [ "$tests" = yes ]; then
    "$test" || { status=$?; [ "$status" -ne 77 ] || { echo "gpu-check.sh: no GPU to check" >&2; exit 1; }; }
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    "$bin/eintool" make llama --layers 2 -o "$work/llama.json"
    for ranks in 1 2; do    # as processes, where there is a launcher
        "$bin/einplan" "$work/llama.json" -n $ranks -q -o "$work/llama.sched"
        launch=()
        if [ "$ranks" -gt 1 ]; then
            command -v mpirun > /dev/null || { echo "2 ranks: not run, there is no mpirun"; continue; }
            launch=(mpirun -n "$ranks")
        fi
        "${launch[@]}" "$bin/einrun" "$work/llama.sched" --device cuda --verify --quiet --out "$work/out" < /dev/null &&
            echo "einrun on $ranks rank(s): verified" || status=1
    done
fi
if [ "$bench" = yes ]; then
    python=$(command -v python3)
    "$python" -c 'import torch' 2> /dev/null ||
        { echo "gpu-check.sh: no PyTorch to compare with; the table is left out"; exit $status; }
    "$python" scripts/bench/gpu.py "$bin" "$@"
fi
exit $status
