#!/usr/bin/env bash
# Builds and runs the tests: scripts/test.sh [preset] [ctest arguments]
#   preset  release (default), debug, asan-ubsan, tsan or fuzz
# Examples: scripts/test.sh             everything
#           scripts/test.sh -R lib      tests with lib in their name
#           scripts/test.sh asan-ubsan -LE mpi
# What a test needs in its environment is in its ctest properties: `ctest --test-dir build` does the same.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
case "${1:-}" in
    release | debug | asan-ubsan | tsan | fuzz) preset=$1; shift ;;
    -h | --help) sed -n '2,7s/^# //p' "$0"; exit 0 ;;
    -* | "") ;;
    *) echo "test.sh: expected a preset or arguments for ctest, found '$1'" >&2; exit 2 ;;
esac

./scripts/install-deps.sh --tests
./scripts/build.sh "$preset"
# Tests that start several ranks say so (PROCESSORS), so ctest may run others beside them.
exec ctest --preset "$preset" --output-on-failure --parallel "$(nproc)" "$@"
