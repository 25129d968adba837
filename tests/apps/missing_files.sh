#!/usr/bin/env bash
# Names that are nearly right on command lines: files that are not there, sizes without their unit, other values.
# Usage: missing_files.sh BIN_FOLDER EXAMPLES_FOLDER
set -uo pipefail
bin=$1 examples=$2
source "$(dirname "$(realpath "$0")")/expect.sh"

graph=$examples/first.json
# shellcheck disable=SC2317  # called by expect
plan() { "$bin/einplan" "$@" -o "$work/s.sched"; }
cp "$graph" "$work/first.json"

# What is missing has a near name in its folder, whichever file it is.
"$bin/einplan" "$graph" -n 2 -q -o "$work/s.sched" --plan-out "$work/decided.json"
echo '{"ranks_per_node": 4}' > "$work/cluster.json"
expect 3 "found none; did you mean \"$work/first.json\"?" "$bin/eintool" validate "$work/frist.json"
expect 3 "found none; did you mean \"$work/first.json\"?" plan "$work/first" -n 2
expect 3 "expected a schedule file, found none; did you mean \"$work/s.sched\"?" "$bin/einrun" "$work/s.shced"
expect 3 "write it: einplan $work/first.json -n RANKS -o $work/first.sched" "$bin/einrun" "$work/first.sched"
expect 3 "did you mean \"$work/decided.json\"?" plan "$graph" -n 2 --plan-in "$work/decide.json"
expect 3 "did you mean \"$work/cluster.json\"?" plan "$graph" -n 2 --cluster "$work/Cluster.json"
expect 3 "did you mean \"$work/s.sched\"?" "$bin/eintool" show "$work/s.scehd"
expect 3 "there is no folder $work/nowhere: check the path" "$bin/eintool" validate "$work/nowhere/first.json"
expect 3 "found none; did you mean \"$work\"?" plan --resume "${work%?}" -n 2
expect 3 "did you mean \"$work\"?" "$bin/eintool" diff "$work" "${work%?}"
expect 3 "did you mean \"$work\"?" "$bin/eintool" import safetensors-llama "${work%?}" --sequence 2
mkdir -p "$work/data/sub"
tool=$(realpath "$bin/eintool")
# shellcheck disable=SC2317
in_data() { cd "$work/data" && "$@"; }
cat > "$work/data/sub/g.json" << 'END'
{"eingraph": 1, "tensors": {"W": {"shape": [2], "data": {"raw": "weight.bin"}}},
 "nodes": [{"name": "B", "op": "relu", "inputs": ["W"]}], "outputs": ["B"]}
END
head -c 8 /dev/zero > "$work/data/sub/weights.bin"
expect 3 "did you mean \"sub/weights.bin\"? or give another with --input W=FILE" in_data "$tool" eval sub/g.json
mv "$work/data/sub/weights.bin" "$work/data/weight.bin"
expect 3 "\"weight.bin\" is a path from the working folder: write it as seen from the graph, \"../weight.bin\"" \
    in_data "$tool" eval sub/g.json
# A .npy file that is cut short, or too long, is found when the graph is read.
cat > "$work/cut.json" << 'END'
{"eingraph": 1, "tensors": {"A": {"data": {"npy": "cut.npy"}}},
 "nodes": [{"name": "B", "op": "relu", "inputs": ["A"]}], "outputs": ["B"]}
END
{ printf '\x93NUMPY\x01\x00\x76\x00'
  printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
  printf '\0\0\x80\x3f\0\0\x80\x3f\0\0\x80\x3f'; } > "$work/whole.npy"
cp "$work/whole.npy" "$work/cut.npy"
expect 0 "sound" "$bin/eintool" validate "$work/cut.json"
head -c 139 "$work/whole.npy" > "$work/cut.npy"
expect 3 "expected 140 bytes (12 for (3,) of f32 from byte 128 on), found '$work/cut.npy', 139 bytes; the file" \
    "$bin/eintool" validate "$work/cut.json"
expect 3 "the file is cut short: copy or write it again" plan "$work/cut.json" -n 2
printf x | cat "$work/whole.npy" - > "$work/cut.npy"
expect 3 "the file is damaged or has more than one array" plan "$work/cut.json" -n 2
# Sizes without a unit are bytes: small ones are asked about, whoever takes them.
expect 4 "warning: --memory: 8 without a unit is 8 B: write 8GiB or 8MiB" plan "$graph" -n 2 --memory 8
said=$(plan "$graph" -n 2 --memory 8 2>&1)
[[ "$said" =~ "give --memory "([0-9]+B)" or more" ]] || fail "no size with its unit: $said"
said=$(plan "$graph" -n 2 --memory "${BASH_REMATCH[1]:-none}" 2>&1) || fail "what it says does not do: $said"
[[ "$said" != *warning* ]] || fail "what it says is warned of: $said"
expect 0 "warning: --device-memory: 2048 without a unit is 2 KiB" plan "$graph" -n 2 --device-memory 2048
"$bin/einplan" "$work/first.json" -n 1 -q -o "$work/alone.sched"
expect 4 "warning: --memory: 8 without a unit is 8 B" "$bin/einrun" "$work/alone.sched" --memory 8
echo '{"ranks_per_node": 4, "memory": 512}' > "$work/small.json"
expect 0 "small.json: /memory: 512 without a unit is 512 B: write 512GiB" \
    plan "$graph" -n 2 --cluster "$work/small.json"
expect 2 "of at least 1, or nothing behind it, found 'all'; write --verify alone" \
    "$bin/einrun" "$work/s.sched" --verify=all
expect 2 "found 'F64'; did you mean \"f64\"?" "$bin/eintool" make matmul 4 4 4 --dtype F64
# Values and words that are meant otherwise.
expect 2 "found 'four'; write -n 4 for four ranks" plan "$graph" -n four
expect 2 "found '1e3'; write 1000" plan "$graph" -n 1e3
expect 2 "found '1 2 4'; write commas between them: 1,2,4" plan "$graph" --sweep "1 2 4"
expect 2 "found '5min'; write it in seconds: 300" plan "$graph" -n 2 --time-limit 5min
expect 2 "found 2; did you mean \"-n 2\"?" plan "$graph" 2
expect 2 "--every: expected --checkpoint with it, found none; add it" "$bin/einrun" "$work/s.sched" --every 10
expect 2 "expected a command (validate, " "$bin/eintool"
expect 2 "expected B (.npy or .npz file, or folder: the reference), found none" "$bin/eintool" diff "$work/a.npy"
expect 2 "found '-8GiB'; write a size of 0 or more" plan "$graph" -n 2 --memory -8GiB
expect 2 "found '8,5GiB'; write 8.5GiB" plan "$graph" -n 2 --memory 8,5GiB
expect 2 "write x between the extents of an operand, commas between operands" \
    "$bin/eintool" import einsum "ij,jk->ik" --shapes 3,4 4,5
expect 2 "found 'x'" "$bin/eintool" make matmul 4 x 4
expect 2 "found 'cpuu'; did you mean \"cpu\"?" "$bin/einrun" "$work/s.sched" --device cpuu
exit $failed
