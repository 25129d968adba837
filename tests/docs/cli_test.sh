#!/usr/bin/env bash
# docs/cli.md is what the programs say: cli_test.sh ROOT BIN PYTHON
set -euo pipefail
root=$1 bin=$2 python=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 "$python" "$root/scripts/reference/make_reference.py" "$bin" --markdown "$work/cli.md"
diff -u "$root/docs/cli.md" "$work/cli.md" && exit 0
echo "docs/cli.md: expected what the programs say with --help, found the differences above; run"
echo "    scripts/reference/make_reference.py build/bin --markdown docs/cli.md"
exit 1
