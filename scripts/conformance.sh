#!/usr/bin/env bash
# Imports networks, circuits and models, draws expressions of scipy.sparse, runs all of them, and compares with NumPy
# and SciPy: scripts/conformance.sh [OPTION...] [FOLDER]
#   --small       fewer and smaller instances, as the tests take them
#   --part PART   networks, circuits, models or expressions alone (again for more)
#   --bin BIN     where the programs are (default build/bin)
#   FOLDER        instances of yours, in any depth: networks (.json of opt_einsum, einsum_benchmark, cotengra,
#                 omeinsum), circuits (.qasm), models (folders with config.json): planned, small models computed
# Prints a table, what was wrong below it; exit code 1 when anything was, 77 without NumPy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
case " $* " in *" -h "* | *" --help "*) sed -n '2,9s/^# //p' "$0"; exit 0 ;; esac
python=/usr/bin/python3
for candidate in python3 /usr/bin/python3; do   # the first with NumPy, before it one with SciPy too
    if "$candidate" -c 'import numpy' 2> /dev/null; then python=$candidate; break; fi
done
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import numpy, scipy' 2> /dev/null; then python=$candidate; break; fi
done
export PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1   # arrays are small
# shellcheck source=scripts/local_mpi.sh
. "$here/local_mpi.sh"
exec "$python" "$here/conformance/conformance.py" --bin "$here/../build/bin" "$@"
