#!/usr/bin/env bash
# Random graphs, ranks and options, verified, for some time: scripts/soak.sh MINUTES [SEED]
# tests/soak/soak.py says what is checked: results, predictions, memory over repeated runs, nothing left behind.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ "${1:-}" =~ ^[0-9]+$ ]] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
./scripts/build.sh
source scripts/local_mpi.sh
exec python3 tests/soak/soak.py build/bin build/tests/random_graph_file "$(command -v mpirun)" "$(($1 * 60))" "${@:2}"
