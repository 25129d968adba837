#!/usr/bin/env bash
# Runs a Catch2 program once for each of the tags, all at the same time: for tests that mostly wait for what they start.
# Usage: side_by_side.sh PROGRAM TAG...
set -u
program=$1; shift
said=$(mktemp -d); trap 'rm -rf "$said"' EXIT
jobs=()
for tag in "$@"; do
    "$program" --filenames-as-tags --warn NoTests "$tag" > "$said/$tag" 2>&1 & jobs+=($!)
done
failed=0
for tag in "$@"; do
    wait "${jobs[0]}" || failed=1
    jobs=("${jobs[@]:1}")
    echo "== $tag"; cat "$said/$tag"
done
exit $failed
