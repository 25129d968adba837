#!/usr/bin/env bash
# The default beside the best of the named strategies: predicted time and bytes of graphs of every kind, on several
# numbers of ranks and clusters, the worst cell first. Plans only; nothing is run.
# Usage: strategies.sh [--quick] [--all] [--cache FOLDER] [--only TEXT] [--bin FOLDER]
set -euo pipefail
exec python3 "$(dirname "$0")/strategies.py" "$@"
