#!/usr/bin/env bash
# Installs what Einloom is built with, on Debian 12 and its relatives:
# scripts/install-deps.sh [--tests] [--bench] [--dry-run]
#   --tests    also what the tests use (NumPy, to compare with; jsonschema, to check the graph schema; clang, whose
#              analysis of locks is a test: 40 MiB to fetch)
#   --bench    also what the benchmarks compare with (NumPy, PyTorch, ScaLAPACK) and make pretend hosts with
#   --dry-run  only says what is missing; exit 1 when something is
# Does nothing, and is quick about it, when nothing is missing. Without root it prints the command to run instead.
set -euo pipefail

# One requirement a word; where several packages would do, "a|b" with the one to install first.
packages=(
    g++ cmake ninja-build ca-certificates
    openmpi-bin libopenmpi-dev
    "libopenblas-pthread-dev|libopenblas-openmp-dev|libopenblas-serial-dev"
    nlohmann-json3-dev libcli11-dev libspdlog-dev catch2
    libflatbuffers-dev flatbuffers-compiler zlib1g-dev libxxhash-dev
    libmimalloc-dev   # einplan's heap
)
[ "$(uname -m)" != x86_64 ] || packages+=(libxbyak-dev)    # machine code for joins
test_packages=(python3-minimal python3-numpy python3-jsonschema "clang|clang-14|clang-16|clang-19")
bench_packages=(
    python3-numpy python3-scipy python3-torch libscalapack-openmpi-dev libgraphblas-dev libsimgrid-dev iproute2
)

dry_run=no
for argument in "$@"; do
    case "$argument" in
        --tests) packages+=("${test_packages[@]}") ;;
        --bench) packages+=("${bench_packages[@]}") ;;
        --dry-run) dry_run=yes ;;
        -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) echo "install-deps.sh: expected --tests, --bench or --dry-run, found '$argument'" >&2; exit 2 ;;
    esac
done

if ! command -v dpkg-query > /dev/null; then
    echo "install-deps.sh: this is not a Debian-like system; install by its own means what these packages hold:" >&2
    echo "    ${packages[*]%%|*}" >&2
    exit 0   # they may be there already: configuring will tell
fi

# One dpkg-query for all: asking for each in turn would take seconds.
mapfile -t names < <(printf '%s\n' "${packages[@]//|/$'\n'}")
installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "${names[@]}" 2> /dev/null || true)
is_installed() { [[ $'\n'"$installed"$'\n' == *$'\n'"installed $1"$'\n'* ]]; }

missing=()
for requirement in "${packages[@]}"; do
    found=no
    IFS='|' read -ra choices <<< "$requirement"
    for choice in "${choices[@]}"; do
        if is_installed "$choice"; then found=yes; fi
    done
    [ "$found" = yes ] || missing+=("${choices[0]}")
done

[ "${#missing[@]}" -gt 0 ] || exit 0
if [ "$dry_run" = yes ]; then
    echo "missing: ${missing[*]}"
    exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "install-deps.sh: these packages are missing and only root can install them; run" >&2
    echo "    sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
fi

echo "installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update && apt-get install -y --no-install-recommends "${missing[@]}"; } > "$log" 2>&1; then
    tail -n 30 "$log" >&2
    echo "install-deps.sh: apt-get failed (its last lines are above); fix that and run this again" >&2
    exit 1
fi
