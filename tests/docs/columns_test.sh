#!/usr/bin/env bash
# Checks that lines of our documents have at most 120 columns: columns_test.sh SOURCE_DIR
# Code blocks and rows of tables may be longer: they cannot be broken.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
# shellcheck source=tests/docs/documents.sh
source "$here/documents.sh"
# Bytes that continue a character are not counted, so that it does not matter which locale awk runs in.
documents | xargs env LC_ALL=C awk '
    FNR == 1 { code = 0 }
    /^ *```/ { code = !code }
    code || /^\|/ || /^    / { next }
    { text = $0; gsub(/[\200-\277]/, "", text) }
    length(text) > 120 { print FILENAME ":" FNR ": expected at most 120 columns, found " length(text); found = 1 }
    END { exit found }'
