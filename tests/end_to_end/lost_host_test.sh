#!/usr/bin/env bash
# The link between two hosts is cut while "eintool run --checkpoint --shrink" computes on both: lost_host_test.sh BIN
# Hosts are network namespaces of this machine (scripts/bench/hosts.sh); where they cannot be made, says why and exits
# with 77. Within 30 s of the cut mpirun and all ranks of the first launch are gone, on both hosts; then the job goes on
# from its newest checkpoint on the host that still answers, and its results agree with those of an undisturbed run.
# shellcheck disable=SC2016  # texts for eval
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# = 1 ] || { sed -n '2s/^# //p' "$0" >&2; exit 2; }
bin=$(realpath "$1")
hosts=$here/../../scripts/bench/hosts.sh
work=$(realpath "$(mktemp -d)")
export EIN_HOSTS=$work/hosts EIN_HOSTS_PREFIX=l$(($$ % 10000))x
at=$EIN_HOSTS_PREFIX
trap '"$hosts" down 2> /dev/null; rm -rf "$work"' EXIT
"$hosts" up 2 0 > "$work/up" 2>&1 && "$EIN_HOSTS/rsh" "${at}0" true 2>> "$work/up" ||
    { echo "skipped: no network namespaces: $(tail -n 1 "$work/up")"; exit 77; }
cd "$work" || exit 1
# shellcheck source=tests/end_to_end/awaiting.sh
source "$here/awaiting.sh"
cat > g.json << 'JSON'
{"eingraph": 1, "dtype": "f64",
 "tensors": {"A": {"shape": [200, 200], "data": {"random": "uniform", "low": 0, "high": 0.01, "seed": 1}},
             "x": {"shape": [200, 200], "data": {"random": "uniform", "seed": 2}}},
 "nodes": [{"name": "B", "einsum": "ij,jk->ik", "inputs": ["A", "A"]},
           {"name": "it", "loop": {"times": 8000, "carry": {"x": "y"},
             "body": [{"name": "z", "einsum": "ij,jk->ik", "inputs": ["B", "x"]},
                      {"name": "y", "einsum": "ij->ij", "join": "x / (1 + x)", "inputs": ["z"]}]}}],
 "outputs": ["it/x"]}
JSON
sed -i 's/slots=1/slots=2/' "$EIN_HOSTS/hostfile"
"$bin/eintool" run g.json -n 4 -q --out right || fail "the undisturbed run ended with $?"

# As hosts.sh starts mpirun.
export OMPI_MCA_plm=rsh OMPI_MCA_plm_rsh_agent=$EIN_HOSTS/rsh OMPI_MCA_ras=^slurm OMPI_MCA_pml=ob1 \
    OMPI_MCA_orte_default_hostfile=$EIN_HOSTS/hostfile OMPI_MCA_hwloc_base_binding_policy=none \
    OMPI_MCA_oob_tcp_if_include=eth0 OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_btl=self,vader,tcp \
    OMPI_MCA_mpi_yield_when_idle=1
"$EIN_HOSTS/rsh" "${at}0" "cd $(printf %q "$work") && exec $(printf '%q ' "$bin/eintool") run g.json -n 4 -q \
    --out found --checkpoint D --every 0.2s --shrink" > log 2>&1 &
job=$!
# pids NAME: of programs of that name, on both hosts.
pids() {
    local host pid
    for host in 0 1; do
        for pid in $(ip netns pids "$at$host"); do
            [ "$(cat "/proc/$pid/comm" 2> /dev/null)" = "$1" ] && echo "$pid"
        done
    done
}
await '[ "$(pids einrun | wc -l)" = 4 ]' 30
await 'ls -d D/0* > files 2> /dev/null && [ "$(tail -n 1 files)" != D/000001 ]' 60
first=$(pids einrun; pids mpirun)
alive() { local pid; for pid in $first; do [ -d "/proc/$pid" ] && return 0; done; return 1; }
ip -n "${at}sw" link set p1 down
cut=$(date +%s)
await '! alive' 30
echo "ranks and mpirun were gone $(($(date +%s) - cut)) s after the cut"
wait "$job"
code=$?
echo "the job ended $(($(date +%s) - cut)) s after the cut"
[ $code = 0 ] || fail "code $code: $(cat log)"
grep -q "leaves to do for 2 ranks" log || fail "expected a plan for 2 ranks: $(cat log)"
"$bin/eintool" diff right found --tolerance 1e-12 > differ || fail "other results: $(cat differ)"
await '[ -z "$(pids einrun)$(pids mpirun)" ]' 30
exit $failed
