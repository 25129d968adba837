#!/usr/bin/env bash
# Injects faults below the C library into einplan and einrun, one a launch: scripts/faults.sh COUNT [SEED]
# Short reads and writes, EINTR, EIO, full disks, failing close, rename, memory and threads, clocks that jump. Each
# launch must end with right results or a message, and leave no partial file (tests/faults/campaign.py says more).
set -euo pipefail
cd "$(dirname "$0")/.."
[[ "${1:-}" =~ ^[0-9]+$ ]] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
./scripts/build.sh
source scripts/local_mpi.sh
exec python3 tests/faults/campaign.py "$PWD/build/bin" "$PWD/build/tests/libein_faults.so" "$(command -v mpirun)" "$@"
