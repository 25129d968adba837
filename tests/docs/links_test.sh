#!/usr/bin/env bash
# Checks that files which our documents link to exist: links_test.sh SOURCE_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
# shellcheck source=tests/docs/documents.sh
source "$here/documents.sh"
missing=0
while IFS=: read -r document link; do
    link=${link#](}
    link=${link%)}
    folder=.
    if [[ "$document" == */* ]]; then folder=${document%/*}; fi
    case "$link" in http*://* | '#'*) continue ;; esac
    if [ ! -e "$folder/${link%%#*}" ]; then
        echo "$document: expected the file '$link', found none"
        missing=$((missing + 1))
    fi
done < <(documents | xargs grep -oHE '\]\([^) ]+\)' || true)
exit "$((missing > 0))"
