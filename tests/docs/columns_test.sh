#!/usr/bin/env bash
# Checks that lines of documents, sources, scripts and CMake's files have at most 120 columns, and sources at most 400
# lines: columns_test.sh SOURCE_DIR
# Longer may be what cannot be broken: code blocks and rows of tables in documents; in sources, rows of data that begin
# a line with {" (events of a trace, one a line).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
# shellcheck source=tests/docs/documents.sh
source "$here/documents.sh"
# Bytes that continue a character are not counted, so that it does not matter which locale awk runs in.
{ documents; sources; } | xargs env LC_ALL=C awk '
    FNR == 1 { code = 0; document = FILENAME ~ /\.md$/ }
    FNR == 401 && !document { print FILENAME ": expected at most 400 lines, found more"; found = 1 }
    document && /^ *```/ { code = !code }
    document && (code || /^\|/ || /^    /) { next }
    !document && /^\{"/ { next }
    { text = $0; gsub(/[\200-\277]/, "", text) }
    length(text) > 120 { print FILENAME ":" FNR ": expected at most 120 columns, found " length(text); found = 1 }
    END { exit found }'
