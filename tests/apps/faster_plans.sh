#!/usr/bin/env bash
# What einplan advises about other plans: by the same figures as its predictions of these, and of none that do not fit.
# Usage: faster_plans.sh BIN
set -euo pipefail
bin=$1
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
fail() { echo "$*" >&2; exit 1; }

# What einplan chooses is told beside what is given, by the times that both print.
seconds() {
    "$bin/einplan" "$@" --dry-run --simulate > "$work/simulated"
    sed -nE 's/^  (makespan|all iterations) +([0-9.]+ [a-z]+).*/\2/p' "$work/simulated" | sed 1q
}
"$bin/eintool" make matmul 4000 4000 4000 -o "$work/square.json" > /dev/null
"$bin/einplan" "$work/square.json" -n 4 --plan-out "$work/one.json" --parts 1 -q -o "$work/one.sched"
for given in "--parts 1" "--plan-in $work/one.json"; do
    # shellcheck disable=SC2086
    "$bin/einplan" "$work/square.json" -n 4 --dry-run $given > "$work/given"
    # shellcheck disable=SC2086
    tr -s ' \n' ' ' < "$work/given" > "$work/words"
    grep -qF "faster without $given: $(seconds "$work/square.json" -n 4) predicted instead of $(
        # shellcheck disable=SC2086
        seconds "$work/square.json" -n 4 $given)" "$work/words" || fail "$given: $(cat "$work/given")"
done
sed 's/"outputs"/"parts": {"C": {"i": 1, "j": 1, "k": 1}}, "outputs"/' "$work/square.json" > "$work/cut.json"
"$bin/einplan" "$work/cut.json" -n 4 --dry-run > "$work/given"
grep -q "faster          without the graph's \"parts\": $(seconds "$work/square.json" -n 4) predicted" "$work/given" ||
    fail "parts: $(cat "$work/given")"
# Sums that a sparse result or --reproducible keeps whole are nothing that a graph's "parts" decided: nobody cuts them.
cat > "$work/empty.json" <<'J'
{"eingraph": 1, "dtype": "c128", "tensors": {
  "A": {"shape": [30, 30], "sparse": true, "data": {"random": "normal", "density": 0.1}},
  "e": {"shape": [30], "sparse": true, "data": {"random": "normal", "density": 0}}},
 "nodes": [{"name": "B", "einsum": "ij,j->ji", "inputs": ["A", "e"], "join": "x*conj(y)"},
  {"name": "C", "einsum": "ij,k->kj", "inputs": ["B", "e"], "join": "x*conj(y)"}], "outputs": ["C"]}
J
"$bin/einplan" "$work/empty.json" -n 2 --plan-out "$work/empty.plan" -q -o "$work/empty.sched"
grep -qF '"C:1": {"i":1,"j":' "$work/empty.plan" || fail "B is not summed before it meets e: $(cat "$work/empty.plan")"
for ranks in 2 3 4 5 6 7; do
    for decompose in eindecomp exact moved data sqrt; do
        "$bin/einplan" "$work/empty.json" -n "$ranks" --decompose "$decompose" --dry-run > "$work/empty" 2>&1 ||
            fail "-n $ranks --decompose $decompose: $(cat "$work/empty")"
        ! grep "the graph's" "$work/empty" || fail "-n $ranks --decompose $decompose: a graph without \"parts\""
    done
done
"$bin/einplan" "$work/square.json" -n 4 --reproducible --parts 1 --dry-run > "$work/given"
grep -q "faster  " "$work/given" || fail "--reproducible: $(cat "$work/given")"
! grep "the graph's" "$work/given" || fail "--reproducible: a graph without \"parts\""
# What is given beside a cluster file is compared with what that says.
echo '{"ranks_per_node": 2, "memory": "64MiB"}' > "$work/nodes.json"
plan() { "$bin/einplan" "$work/square.json" -n 4 --dry-run -q --cluster "$work/nodes.json" "$@" 2> "$work/notes"; }
plan --memory 1GiB
grep -qF -- "--memory 1GiB is more than the 64 MiB that $work/nodes.json says a rank has" "$work/notes" ||
    fail "$(cat "$work/notes")"
plan --memory 60MiB
! grep "is more than" "$work/notes" || fail "less than a rank has"
# In too little memory plans spill or are cut otherwise: what is said is of those, and not of the ones that do not fit.
cat > "$work/chain.json" <<'J'
{"eingraph": 1, "dtype": "f64", "tensors": {"A": {"shape": [2000, 2000]}, "B": {"shape": [2000, 2000]},
  "C": {"shape": [2000, 2000]}, "D": {"shape": [2000, 2000]}},
 "nodes": [{"name": "P", "einsum": "ij,jk->ik", "inputs": ["A", "B"]},
  {"name": "Q", "einsum": "ij,jk->ik", "inputs": ["C", "D"]}, {"name": "T", "op": "tanh", "inputs": "P"},
  {"name": "R", "einsum": "ij,jk->ik", "inputs": ["T", "Q"]},
  {"name": "S", "einsum": "ij,ij->ij", "inputs": ["R", "A"], "join": "x + y"}], "outputs": ["S"]}
J
for case in "2 64MiB" "4 48MiB" "2 40MiB"; do
    read -r ranks memory <<< "$case"
    "$bin/einplan" "$work/chain.json" -n "$ranks" --memory "$memory" --dry-run > "$work/tight" 2> "$work/notes"
    ! grep -E "too small|faster  |% *faster" "$work/tight" || fail "$case: advice of plans that do not fit"
    grep -q "none of which fits" "$work/tight" || fail "$case: $(cat "$work/tight")"
    needs=$(sed -nE 's/.*with -n ([0-9]+) nothing need spill$/\1/p' "$work/notes")
    [ "$ranks" = 4 ] || "$bin/einplan" "$work/chain.json" -n "$needs" --memory "$memory" --dry-run > "$work/enough" 2>&1
    [ "$ranks" = 4 ] || ! grep "spills" "$work/enough" || fail "$case: -n $needs spills"
done
