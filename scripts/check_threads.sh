#!/usr/bin/env bash
# Checks who holds which mutex: scripts/check_threads.sh [--build DIR] [FILE...]
#   --build DIR  a configured build folder, for its include paths; default: build
#   FILE         default: all sources of ours that lock or are guarded
# Two checks: mutexes and conditions are those of lib/base/threads/mutex.hpp, which clang understands; and clang's
# thread-safety analysis finds no guarded field that is touched without its mutex and no function that returns with one
# held. What was found sound is kept by ccache, where that is installed: only what changed takes time. The exit code is
# 1 when something is found, 77 where clang++ is missing.
# tests/layers/threads_self_test.sh checks this script with seeded faults.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build
if [ "${1:-}" = --build ]; then build=$2; shift 2; fi
if [[ "${1:-}" == -* ]]; then sed -n '2,8s/^# //p' "$0"; exit 2; fi

source scripts/clang_tools.sh
find_tool clang++ clang clang++ clang++-19 clang++-16 clang++-15 clang++-14
need_commands "$build"

# A header is checked through its own source file, if it has one.
sources_that_lock() {
    local file
    grep -rlE 'MutexLock|EIN_GUARDED_BY|EIN_REQUIRES' --include='*.[ch]pp' lib planner scheduler executor apps |
        grep -v '^lib/base/threads/thread_safety.hpp$' |
        while read -r file; do
            if [ -f "${file%.hpp}.cpp" ]; then echo "${file%.hpp}.cpp"; else echo "$file"; fi
        done | sort -u
}

status=0
files=("$@")
if [ "${#files[@]}" -eq 0 ]; then
    mapfile -t files < <(sources_that_lock)
    all=$(find lib planner scheduler executor apps -name '*.[ch]pp')
else
    all=$(printf '%s\n' "${files[@]}")
fi

standard='std::(recursive_|shared_|timed_)?(mutex|condition_variable|unique_lock|lock_guard|scoped_lock|call_once)'
if found=$(grep -v '^lib/base/threads/mutex.hpp$' <<< "$all" | xargs grep -nHE "$standard"); then
    # Comments may speak of them.
    found=$(grep -vE '^[^:]*:[0-9]*: *//' <<< "$found" || true)
    if [ -n "$found" ]; then
        advice='clang knows nothing of this lock; use those of lib/base/threads/mutex.hpp'
        sed -E "s|^([^:]*:[0-9]*):.*|\1: $advice|" <<< "$found"
        status=1
    fi
fi

# All include paths and definitions that our sources are compiled with.
mapfile -t flags < <(grep -oE -- '(-isystem |-I|-D)[^ "\\]+' "$build/compile_commands.json" | sort -u)
read -ra flags <<< "${flags[*]}"
flags+=(-x c++ -std=c++20 -I. -Wthread-safety -Werror=thread-safety -Wno-pragma-once-outside-header)
flags+=(-Wno-macro-redefined)   # one source may be compiled in several versions
check=("$tool" "${flags[@]}" -fsyntax-only)
if command -v ccache > /dev/null; then   # which keeps what makes a file: unoptimised code takes a tenth longer
    export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1   # a checkout elsewhere finds it too
    objects=$(mktemp -d)
    trap 'rm -rf "$objects"' EXIT
    # shellcheck disable=SC2016  # for the inner shell
    check=(sh -c 'objects=$1; shift; exec ccache "$@" -o "$objects/$$"' sh "$objects" "$tool" "${flags[@]}" -c)
fi
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" "${check[@]}" || status=1
exit "$status"
