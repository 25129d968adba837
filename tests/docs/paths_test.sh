#!/usr/bin/env bash
# Checks that documents name files that exist, and that the map stays a map: paths_test.sh SOURCE_DIR
#   - Every path of ours in backticks (`lib/...`, `planner/...`, ...) exists, in whatever document it stands. It may
#     stand for several files: `dir/{a,b}.hpp`, `dir/name*`, or `dir/stem` for stem.hpp and stem.cpp. A word in
#     capitals (`tests/NAME_test.cpp`) is a blank for the reader to fill in.
#   - docs/architecture.md has at most 15,000 bytes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
# shellcheck source=tests/docs/documents.sh
source "$here/documents.sh"
faults=0
fault() { echo "$*"; faults=$((faults + 1)); }

exists() { [ -e "$1" ] || compgen -G "$1" > /dev/null || compgen -G "$1.*" > /dev/null; }
has_blank() { [[ "${1//README/}" =~ (^|[/_])[A-Z]{2,}([/_.]|$) ]]; }
rooms='lib|planner|scheduler|executor|apps|tests|scripts|configs|examples|docs|cmake'
while IFS=: read -r document line path; do
    path=${path//\`/}
    if has_blank "$path"; then continue; fi
    # `a/{b,c}.hpp` as a/b.hpp and a/c.hpp. Only letters, digits and ._/{},*- come here.
    all=("$path")
    if [[ "$path" == *\{*\}* ]]; then set -f; eval "all=($path)"; set +f; fi
    for each in "${all[@]}"; do
        exists "$each" || fault "$document:$line: expected the file '$each', found none"
    done
done < <(documents | xargs grep -noHE "\`($rooms)/[A-Za-z0-9_./{},*-]*\`" || true)

bytes=$(wc -c < docs/architecture.md)
[ "$bytes" -le 15000 ] ||
    fault "docs/architecture.md: expected at most 15000 bytes, found $bytes;" \
        "move what explains a choice to docs/decisions"
exit "$((faults > 0))"
