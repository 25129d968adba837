#!/usr/bin/env bash
# The inner half of check_package.sh, run as root in a fresh Debian: check_installed.sh FILE.deb
# Installs it, works with it as somebody who has just done so, removes it. Changes the system that it runs in.
set -euo pipefail
deb=$1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
cd "$(mktemp -d)"

quietly() { "$@" > log 2>&1 || { tail -n 30 log >&2; echo "check_installed.sh: failed: $*" >&2; exit 1; }; }
files() { find / -xdev \( -path /proc -o -path /tmp -o -path /var -o -path /sys -o -path /dev \) -prune -o -print; }

echo "== install"
quietly apt-get update
depends=$(dpkg-deb -f "$deb" Depends)
echo "depends on: $depends"
[[ "$depends" != *cuda* && "$depends" != *cublas* ]] || { echo "CUDA must not be asked for" >&2; exit 1; }
# What it needs comes first, so that removing it can be compared with before.
quietly apt-get install -y --no-install-recommends "$deb"
quietly apt-get remove -y einloom
files | sort > before
quietly apt-get install -y --no-install-recommends "$deb"

echo "== programs"
for program in einplan einrun eintool; do "$program" --version; done
quietly eintool preflight
share=/usr/share/doc/einloom
quietly einplan "$share/examples/first.json" -n 4 -o first.sched
quietly mpirun -n 4 einrun first.sched --verify
quietly eintool run "$share/examples/attention.json" -n 3 --verify

echo "== docs/python.md, on as many ranks as it says"
# All its Python, as somebody would type it.
awk '/^```python$/ { on = 1; next } /^```$/ { on = 0 } on' "$share/docs/python.md" > tutorial.py
started=$SECONDS
quietly python3 tutorial.py
echo "took $((SECONDS - started)) s"

echo "== Slurm, of two pretended nodes: a batch script of einplan's, and a Python program"
quietly apt-get install -y --no-install-recommends slurm-wlm munge libpmix-dev   # the last for srun --mpi=pmix
# shellcheck source=tests/end_to_end/slurm_here.sh
. "$(dirname "$0")/slurm_here.sh"
export OMPI_MCA_btl=self,tcp   # "nodes" that are one host
mkdir -m 755 /tmp/slurm
trap 'slurm_stop /tmp/slurm' EXIT
slurm_start /tmp/slurm 2 || { tail -n 5 /tmp/slurm/log/*.log >&2; exit 1; }
einplan "$share/examples/attention.json" -n 4 -q -o batch.sched --batch slurm > batch.sh
sbatch --wait -Q -o batch.log batch.sh || { cat batch.log >&2; exit 1; }
[ -n "$(ls results/*.npy)" ] || { echo "the batch job left no results" >&2; exit 1; }
echo 'import einloom as el; print(float(el.run(el.ones((60, 60)) @ el.ones((60, 60)), ranks=4).sum()))' > job.py
sbatch --wait -Q -n 4 -o python.log --wrap "TMPDIR=$PWD python3 job.py" || { cat python.log >&2; exit 1; }
grep -qx 216000.0 python.log || { echo "expected 216000.0, found: $(cat python.log)" >&2; exit 1; }
slurm_stop /tmp/slurm
trap - EXIT
unset OMPI_MCA_btl SLURM_CONF

echo "== a program that links the library"
quietly apt-get install -y --no-install-recommends g++ cmake make libopenmpi-dev libopenblas-dev zlib1g-dev
quietly cmake -S "$share/examples/embed" -B embed
quietly cmake --build embed
mpirun -n 4 embed/correlations 2000 16 | tail -n 1

echo "== remove"
quietly apt-get purge -y einloom
files | sort > after
left=$(comm -13 before after | grep -i einloom || true)
[ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; }
