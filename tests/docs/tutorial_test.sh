#!/usr/bin/env bash
# Does what docs/tutorial.md tells a newcomer to do on one machine, block after block, with the graphs that stand there:
#   tutorial_test.sh SOURCE_DIR BIN_DIR MPIEXEC PYTHON
# Exit code 77 without NumPy.
set -euo pipefail
source_dir=$1 bin=$2 mpiexec=$3 python=$4
"$python" -c 'import numpy' 2> /dev/null || { echo "skipped: $python has no NumPy"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "docs/tutorial.md: $*"; exit 1; }
tutorial=$source_dir/docs/tutorial.md

# block KIND NUMBER: the text of the so-manieth block of a kind
block() {
    awk -v fence="\`\`\`$1" -v number="$2" \
        '/^```/ { inside = !inside && $0 == fence && ++count == number; next } inside' "$tutorial"
}
mkdir path
ln -s "$mpiexec" path/mpirun
ln -s "$python" path/python3
export PATH=$folder/path:$bin:$PATH

block json 1 > look.json
block json 2 > regression.json
grep -q '"look"' look.json || fail "expected the graph look first"
grep -q '"regression"' regression.json || fail "expected the graph regression second"
# The first block builds and makes a folder; those from a cluster on are for one.
for number in 2 3 4 5 6 7 8; do
    block sh "$number" > block.sh
    if grep -qE "srun|SBATCH" block.sh; then break; fi
    bash -euo pipefail block.sh > said 2>&1 || fail "block $number: exit $?: $(cat block.sh said)"
    cp block.sh last.sh
done
grep -q "eintool trace" last.sh || fail "expected the blocks before the cluster's to end with eintool trace"
for file in results/covariance.npy results/correlation.npy results/fit.w0.npy report.json trace.json; do
    [ -s "$file" ] || fail "expected $file, found none"
done
# "The largest error of a weight is about 0.001"
"$python" -c 'import numpy as np, sys
error = abs(np.load("results/fit.w0.npy") - np.load("w_true.npy")).max()
sys.exit(0 if 0.0002 < error < 0.005 else f"expected an error of about 0.001, found {error}")' || fail "the fit"
# What it says of peaks and of another step is so.
peak=$(grep -m1 '^  peak a rank' "$tutorial" | sed 's/^ *//')
said=$(einplan regression.json -n 8 --memory 4GiB --dry-run)
[[ "$said" == *"$peak"* ]] || fail "expected '$peak', found: $said"
mpirun -n 2 einrun regression.sched --quiet --set eta=0.1 --out slower || fail "--set eta=0.1"
