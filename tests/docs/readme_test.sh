#!/usr/bin/env bash
# Does what README.md tells a newcomer to do, with the graph that stands there:
#   readme_test.sh SOURCE_DIR BIN_DIR MPIEXEC
set -euo pipefail
source_dir=$1 bin=$2 mpiexec=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "README.md: $*"; exit 1; }

awk '/^```json$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$source_dir/README.md" > first.json
[ -s first.json ] || fail "expected a graph between \`\`\`json and \`\`\`"
lines=$(wc -l < first.json)
[ "$lines" -le 10 ] || fail "expected a first graph of ten lines at most, found $lines"

"$bin/einplan" first.json -n 4
"$mpiexec" -n 4 "$bin/einrun" first.sched --verify --report first.report.json
for file in results/P.npy first.report.json; do
    [ -s "$file" ] || fail "expected $file after the run, found none"
done
# 600 x 500 numbers of 8 bytes and the header.
[ "$(stat --format=%s results/P.npy)" -eq $((600 * 500 * 8 + 128)) ] || fail "results/P.npy has another size than P"

# The explanation that README.md shows is what is said of that node today.
awk '/--explain$/ { shown = 1 } shown && /^```$/ { ++fence } fence == 2 && !/^```/' "$source_dir/README.md" > shown
[ "$(wc -l < shown)" -gt 5 ] || fail "expected an explanation after --explain"
"$bin/einplan" first.json -n 4 --explain | awk '/^AB$/ { inside = 1 } /^$/ { inside = 0 } inside' > said
diff shown said || fail "expected the explanation of AB as einplan gives it"

# The graph with the mistake that README.md shows is refused, with the exit code that it names.
sed 's/\[400, 500\]/[600, 500]/' first.json > wrong.json
code=0
"$bin/einplan" wrong.json -n 4 2> message || code=$?
[ "$code" -eq 3 ] || fail "expected exit code 3 for a graph with unlike extents, found $code"
grep -q "^wrong.json: /nodes/0" message || fail "expected the place /nodes/0 in: $(cat message)"
