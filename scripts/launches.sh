#!/usr/bin/env bash
# Launches a tiny graph many times under full load and counts how they end: scripts/launches.sh [N] [BUILD_DIR]
# N launches (default 100) at 4 to 8 ranks in turn, beside as many busy processes as there are cores (EIN_LOAD sets
# another number). Each must end with code 0 and the same result within a minute. What every other launch printed is
# kept, and reported at the end; the exit code is 1 when there is one.
# EIN_LAUNCH names another launcher than mpirun, as "eintool run" or "srun --mpi=pmix".
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ "${1:-}" == -* ]]; then sed -n '2,6s/^# //p' "$0"; exit 2; fi
launches=${1:-100} bin=$(realpath "${2:-build}")/bin load=${EIN_LOAD:-$(nproc)}
read -ra launcher <<< "${EIN_LAUNCH:-mpirun}"

source scripts/local_mpi.sh
export OMP_NUM_THREADS=1

work=$(mktemp -d)
busy=()
end() {
    [ "${#busy[@]}" -eq 0 ] || kill "${busy[@]}" 2> /dev/null || true
    rm -rf "$work/graph" "$work/run" "$work/mpi"
    rmdir "$work" 2> /dev/null || echo "kept: $work"
}
trap end EXIT

mkdir "$work/graph" "$work/mpi"
export OMPI_MCA_orte_tmpdir_base=$work/mpi   # other jobs remove what is in /tmp: docs/launching.md
cat > "$work/graph/tiny.json" << 'JSON'
{"eingraph": 1, "dtype": "f64",
 "tensors": {"A": {"shape": [16, 16], "data": {"random": "uniform", "seed": 1}},
             "B": {"shape": [16, 16], "data": {"random": "uniform", "seed": 2}}},
 "nodes": [{"name": "C", "einsum": "ij,jk->ik", "inputs": ["A", "B"]}], "outputs": ["C"]}
JSON
for ranks in 4 5 6 7 8; do
    "$bin/einplan" "$work/graph/tiny.json" -n "$ranks" --decompose eindecomp --quiet -o "$work/graph/$ranks.sched"
done
"$bin/eintool" eval "$work/graph/tiny.json" --out "$work/graph" > /dev/null
for ((k = 0; k < load; k++)); do
    (while :; do :; done) &
    busy+=($!)
done

wrong=0 began=$SECONDS
for ((launch = 0; launch < launches; launch++)); do
    ranks=$((4 + launch % 5))
    code=0 said=right
    rm -rf "$work/run"
    timeout -k 5 60 "${launcher[@]}" -n "$ranks" "$bin/einrun" "$work/graph/$ranks.sched" --quiet --out "$work/run" \
        > "$work/log" 2>&1 < /dev/null || code=$?
    if [ "$code" -ne 0 ]; then
        said="code $code"
    elif ! "$bin/eintool" diff "$work/run/C.npy" "$work/graph/C.npy" > /dev/null 2>&1; then
        said="another result"
    fi
    if [ "$said" = right ]; then
        rm "$work/log"
    else
        wrong=$((wrong + 1))
        { echo "launch $launch, $ranks ranks: $said"; cat "$work/log"; } > "$work/wrong-$wrong.log"
        head -n 1 "$work/wrong-$wrong.log"
        rm "$work/log"
    fi
    if (((launch + 1) % 500 == 0 && launch + 1 < launches)); then echo "$((launch + 1)) launches, $wrong wrong"; fi
done
printf '%d launches at 4 to 8 ranks beside %d busy processes: %d right, %d wrong, %d s\n' \
    "$launches" "$load" "$((launches - wrong))" "$wrong" "$((SECONDS - began))"
for log in "$work"/wrong-*.log; do
    [ -e "$log" ] || continue
    printf '\n'
    cat "$log"
done
exit "$((wrong > 0))"
