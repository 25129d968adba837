#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy) and the formatter's check: scripts/tidy.sh [--build DIR] [--since COMMIT] [FILE...]
#   --build DIR     a configured build folder, for how each file is compiled; default: build
#   --since COMMIT  files that changed since COMMIT; default: since the branch left origin/main, or in the last commit
#   FILE            these instead
# Files that are not yet committed count as changed. A changed header is checked through its own source file, if it has
# one; other headers are left alone. It takes some seconds a file: of more than TIDY_MOST files (40, unless the
# environment says otherwise) none is checked unless they are named.
# The exit code is 1 when something is found, 77 where clang-tidy is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build since=
while [[ "${1:-}" == -* ]]; do
    case "$1" in
        --build) build=$2; shift 2 ;;
        --since) since=$2; shift 2 ;;
        *) sed -n '2,9s/^# //p' "$0"; exit 2 ;;
    esac
done

source scripts/clang_tools.sh
find_tool clang-tidy clang-tidy clang-tidy-14 clang-tidy
need_commands "$build"

# A checkout without its history (an archive) has no changed files.
changed_files() {
    git rev-parse --verify --quiet HEAD > /dev/null || return 0
    local from=$since
    [ -n "$from" ] || from=$(git merge-base HEAD origin/main 2> /dev/null || true)
    if [ -z "$from" ] || [ "$from" = "$(git rev-parse HEAD)" ]; then
        from=$(git rev-parse --verify --quiet HEAD~1 || git rev-parse HEAD)
    fi
    { git diff --name-only --diff-filter=d "$from"; git ls-files --others --exclude-standard; } | sort -u |
        { grep -E '^(lib|planner|scheduler|executor|apps)/.*\.[ch]pp$' || true; }
}

files=("$@")
if [ "${#files[@]}" -eq 0 ]; then
    mapfile -t files < <(changed_files)
    if [ "${#files[@]}" -gt "${TIDY_MOST:-40}" ]; then
        echo "tidy.sh: ${#files[@]} files changed: too many for a test; run scripts/tidy.sh with their names"
        exit 0
    fi
fi
[ "${#files[@]}" -gt 0 ] || exit 0

status=0
if command -v clang-format-14 > /dev/null; then ./scripts/format.sh --check "${files[@]}" || status=1; fi

# All include paths and definitions of our sources: each file is read by itself, however the build groups them.
mapfile -t flags < <(grep -oE -- '(-isystem |-I|-D)[^ "\\]+' "$build/compile_commands.json" | sort -u)
read -ra flags <<< "${flags[*]}"
flags+=(-x c++ -std=c++20 -I.)

# Only what can be read here: CUDA and MPI may be left out of the build, and loops of an instruction set want its flags.
is_readable() {
    case "$1" in
        *_avx2.cpp | *_avx512.cpp) return 1 ;;
        executor/device/cuda/*) grep -q 'executor/device/cuda/' "$build/compile_commands.json" ;;
        executor/transport/mpi*) [[ "${flags[*]}" == *mpi* ]] ;;
    esac
}
mapfile -t sources < <(
    for file in "${files[@]}"; do
        source=${file%.hpp}
        source=${source%.cpp}.cpp
        if [ -f "$source" ] && is_readable "$source"; then echo "$source"; fi
    done | sort -u)
[ "${#sources[@]}" -gt 0 ] || exit "$status"
# Not the headers of kernels: parts of the file that includes them, in its namespace, where x != x asks for nan.
headers=$(printf '%s\n' "${files[@]}" | { grep '\.hpp$' || true; } |
    { grep -v '^lib/scalar/kernels/kernel_' || true; } | paste -sd '|')
# What it says on stderr is how many warnings it left out.
found=$(printf '%s\0' "${sources[@]}" |
    xargs -0 -I '{}' -P "$(nproc)" "$tool" --quiet --header-filter="/(${headers:-none})\$" '{}' -- "${flags[@]}" \
        2> /dev/null) || status=1
[ -z "$found" ] || printf '%s\n' "$found" | sed "s|^$PWD/||"
exit "$status"
