#!/usr/bin/env bash
# Where the n-th allocation of a program fails, each n from the first one, before main too, it ends with code 4 and says
# so: no_memory.sh LIBRARY PROGRAM...
set -euo pipefail
library=$1 wrong=0
shift
for program in "$@"; do
    for ((n = 1; n <= 60; n++)); do
        code=0
        said=$(LD_PRELOAD=$library EIN_FAULT=no_memory:$n "$program" --version 2>&1) || code=$?
        if [ "$code" -ne 0 ] && { [ "$code" -ne 4 ] || [[ "$said" != *"expected enough memory"* ]]; }; then
            echo "$(basename "$program"), allocation $n: expected code 4 and why, found code $code and '$said'" >&2
            wrong=1
        fi
    done
    if LD_PRELOAD=$library EIN_FAULT=no_memory:1 "$program" --version > /dev/null 2>&1; then
        echo "$(basename "$program"): expected that its first allocation fails, found that nothing did" >&2
        wrong=1
    fi
done
exit "$wrong"
