#!/usr/bin/env bash
# Every example that says which command made it is what that command makes today, and every program that eintool makes
# has an example.
# Usage: made_examples.sh BIN EXAMPLES
set -euo pipefail
bin=$1 examples=$2
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
failed=0
for example in "$examples"/*.json; do
    command=$(sed -n 's/^ *"x-made-by": "eintool \(.*\)",$/\1/p' "$example")
    [ -n "$command" ] || continue
    # shellcheck disable=SC2086
    "$bin/eintool" $command -o "$work/made.json"
    diff "$example" "$work/made.json" || { echo "$example: make it again: eintool $command -o $example"; failed=1; }
    basename "$example" .json >> "$work/made"
done
# The rest are products that others are compared with, and models that have examples written by hand.
for kind in $("$bin/eintool" make --help | sed -n 's/^  \([a-z][a-z-]*\)\( [A-Z_]*\)*\( (.*)\)\{0,1\}$/\1/p'); do
    case $kind in matmul|matrix-chain|elementwise|attention|llama) continue ;; esac
    grep -qx "$kind" "$work/made" || {
        echo "expected examples/$kind.json with \"x-made-by\", found none;" \
            "eintool make $kind ... -o examples/$kind.json"
        failed=1
    }
done
[ "$(wc -l < "$work/made")" -ge 13 ] ||
    { echo "expected 13 made examples or more, found: $(xargs < "$work/made")"; failed=1; }
exit $failed
