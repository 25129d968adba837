#!/usr/bin/env bash
# Checks that files which our documents link to exist: links_test.sh SOURCE_DIR
set -euo pipefail
cd "$1"
missing=0
for document in README.md docs/*.md; do
    while IFS= read -r link; do
        case "$link" in http*://* | '#'*) continue ;; esac
        if [ ! -e "$(dirname "$document")/${link%%#*}" ]; then
            echo "$document: expected the file '$link', found none"
            missing=$((missing + 1))
        fi
    done < <(grep -oE '\]\([^) ]+\)' "$document" | sed -E 's/^\]\((.*)\)$/\1/')
done
exit "$((missing > 0))"
