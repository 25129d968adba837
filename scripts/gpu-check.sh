#!/usr/bin/env bash
# Checks and measures Einloom on a machine with an NVIDIA GPU, in ten minutes:
# scripts/gpu-check.sh [--tests] [--sanitizers] [--bench] [ROWS OF THE TABLE...]
# These parts only; without one of them, all three.
# Takes the build in build/; without one what scripts/gpu-carry.sh packed (build/gpu-carry.tar.gz); without that builds.
# Runs every kind of kernel, random graphs at 1 and 2 ranks and all examples on the GPU against the reference, the
# kernels again under compute-sanitizer where that is installed, and einrun as its users start it; then measures beside
# PyTorch where that is installed. Ends with one table: each step, what came of it, and what there was no time for.
# The reports behind the figures are kept in build/gpu-reports.
# EIN_GPU_CHECK_SECONDS is the time for all (600), EIN_KERNELS the number of random kernels of each kind (300).
# Exit code 1 when a check fails; figures decide nothing.

# Functions are called by bash -c, in a step.
# shellcheck disable=SC2016,SC2317
set -euo pipefail
cd "$(dirname "$0")/.."

parts=''
while [[ ${1:-} == -* ]]; do
    case "$1" in
        --tests | --sanitizers | --bench) parts+=" ${1#--}" ;;
        -h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) echo "gpu-check.sh: expected --tests, --sanitizers or --bench, found $1" >&2; exit 2 ;;
    esac
    shift
done
parts=${parts:- tests sanitizers bench}

root='' libraries=''
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
export EINLOOM_CACHE=${EINLOOM_CACHE:-$PWD/build/gpu-cache} EIN_EXAMPLES=$PWD/examples
mkdir -p "$EINLOOM_CACHE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

budget=${EIN_GPU_CHECK_SECONDS:-600}
status=0
table=()

row() { table+=("| $1 | $2 | $3 |"); echo "$1: $2${3:+, $3 s}"; }

# step NAME SECONDS COMMAND...: the command, within its seconds and what is left of all; 77 means that it cannot be done
# here.
step() {
    local name=$1 limit=$2 left=$((budget - SECONDS)) cut=no
    shift 2
    if [ "$left" -lt 2 ]; then row "$name" "left: no time" ""; return; fi
    if [ "$limit" -gt "$left" ]; then limit=$left cut=yes; fi
    local begin=$SECONDS code=0
    timeout -k 5 "$limit" "$@" > "$work/log" 2>&1 < /dev/null || code=$?
    case "$code" in
        0) row "$name" passed $((SECONDS - begin)) ;;
        77) row "$name" "skipped: $(tail -n 1 "$work/log")" "" ;;
        124 | 137)
            if [ "$cut" = yes ]; then
                row "$name" "left: begun, no time" $((SECONDS - begin))
            else
                row "$name" "FAILED: longer than $limit s" $((SECONDS - begin)); status=1
            fi ;;
        *) row "$name" "FAILED: code $code" $((SECONDS - begin)); status=1; tail -n 40 "$work/log" ;;
    esac
}

einrun() { "$bin/einrun" "$@" --device cuda --verify --quiet --out "$work/out"; }

# together RANKS SCHEDULE...: einrun as processes, where there is a launcher.
together() {
    local ranks=$1
    shift
    command -v mpirun > /dev/null || { echo "there is no mpirun"; return 77; }
    mpirun -n "$ranks" "$bin/einrun" "$@" --device cuda --verify --quiet --out "$work/out"
}

# Each rank sees one GPU, as under srun --gpus-per-task=1.
masked() {
    command -v mpirun > /dev/null || { echo "there is no mpirun"; return 77; }
    local each="$bin/einrun $work/llama2.sched --device cuda --verify --out $work/out"
    # shellcheck disable=SC2086
    mpirun -n 1 -x CUDA_VISIBLE_DEVICES=0 $each : -n 1 -x CUDA_VISIBLE_DEVICES=$((gpus > 1)) $each
}

# What a user has who installed CUDA and set nothing.
cold() {
    local cache paths=(-u CUDA_HOME -u LD_LIBRARY_PATH)
    cache=$(mktemp -d -p "$work")
    if [ -n "$root" ]; then paths=(-u CUDA_HOME "LD_LIBRARY_PATH=$libraries"); fi
    EINLOOM_CACHE=$cache env "${paths[@]}" \
        "$bin/einrun" "$work/llama1.sched" --device cuda --verify --quiet --out "$work/out"
}

sanitizer() {
    local tool=$1 program
    program=$(command -v compute-sanitizer || ls "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer" 2> /dev/null) ||
        { echo "compute-sanitizer is not installed"; return 77; }
    EIN_KERNELS=${EIN_KERNELS:-40} "$program" --tool "$tool" --error-exitcode 9 "$test" '[kernels]'
}

export -f together masked cold sanitizer einrun
export bin test work root gpus libraries

device=$("$test" --device 2> /dev/null) || { echo "gpu-check.sh: no GPU to check: $device" >&2; exit 1; }
gpus=$(echo "$device" | sed -n 's/.*GPU [0-9]* of \([0-9]*\).*/\1/p')
gpus=${gpus:-1}
echo "$device"
if command -v nvidia-smi > /dev/null; then
    nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader
fi

if [[ $parts == *tests* ]]; then
    "$bin/eintool" make llama --layers 2 -o "$work/llama.json"
    for ranks in 1 2; do "$bin/einplan" "$work/llama.json" -n $ranks -q -o "$work/llama$ranks.sched"; done
    step "einrun, 1 rank" 60 bash -c 'einrun "$work/llama1.sched"'
    step "einrun, 2 ranks" 60 bash -c 'together 2 "$work/llama2.sched"'
    step "einrun, TF32" 60 bash -c 'einrun "$work/llama1.sched" --allow-tf32'
    step "einrun, masked GPUs, 2 ranks" 60 bash -c masked
    step "einrun, messages by the host" 60 bash -c 'together 2 "$work/llama2.sched" --gpu-aware off'
    step "einrun, cold cache, no library paths" 90 bash -c cold
    step "kernels against the reference" 240 "$test" '[kernels]'
    step "kernels with 64-bit indices" 120 env EINLOOM_CUDA_WIDE_FROM=1 EIN_KERNELS="${EIN_KERNELS:-60}" \
        "$test" '[kernels]'
    step "random graphs" 120 "$test" '[graphs]'
    step "examples" 120 "$test" '[examples]'
fi
if [[ $parts == *sanitizers* ]]; then
    for tool in memcheck racecheck synccheck initcheck; do
        step "compute-sanitizer, $tool" 90 bash -c "sanitizer $tool"
    done
fi
if [[ $parts == *bench* ]]; then
    python=$(command -v python3 || true)
    if [ -z "$python" ]; then
        row "beside PyTorch" "skipped: there is no python3" ""
    elif ! "$python" -c 'import torch' 2> /dev/null; then
        row "beside PyTorch" "skipped: there is no PyTorch" ""
    elif [ $((budget - SECONDS)) -lt 2 ]; then
        row "beside PyTorch" "left: no time" ""
    else
        begin=$SECONDS
        if timeout -k 5 $((budget - SECONDS)) "$python" scripts/bench/gpu.py "$bin" --keep build/gpu-reports "$@"; then
            row "beside PyTorch" measured $((SECONDS - begin))
        else
            row "beside PyTorch" "left: begun, no time, or it failed" $((SECONDS - begin))
        fi
    fi
fi

printf '\nOn %s:\n\n| step | result | seconds |\n|---|---|---|\n' "$device"
printf '%s\n' "${table[@]}"
exit $status
