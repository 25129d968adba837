#!/usr/bin/env bash
# scripts/digits.sh learns made images, a bright row for each digit under noise: digits_test.sh SCRIPT PROGRAMS RANKS
set -euo pipefail
script=$1 programs=$2 ranks=$3 steps=120
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 - "$work/digits.csv.gz" << 'PYTHON'
import gzip, random, sys
draw = random.Random(7)
with gzip.open(sys.argv[1], "wt") as file:
    for image in range(1797):
        digit = draw.randrange(10)  # its row of 8 pixels begins at pixel 6 digit
        pixels = [draw.randrange(9) + 8 * (6 * digit <= pixel < 6 * digit + 8) for pixel in range(64)]
        print(*pixels, digit, sep=",", file=file)
PYTHON
BIN=$programs "$script" --ranks "$ranks" --steps $steps --seed 3 --work "$work" --data "$work/digits.csv.gz" \
    --no-compare | tee "$work/said"

python3 - "$work/results/loss_curve.csv" $steps "$work/said" << 'PYTHON'
import csv, re, sys
losses = [float(row["loss"]) for row in csv.DictReader(open(sys.argv[1]))]
assert len(losses) == int(sys.argv[2]), f"expected a loss for each of {sys.argv[2]} steps, found {len(losses)}"
assert abs(losses[0] - 2.3) < 0.4, f"expected a first loss near ln 10, found {losses[0]}"
assert losses[-1] < 0.1 * losses[0], f"expected a loss that falls, found {losses[0]} to {losses[-1]}"
said = open(sys.argv[3]).read()
accuracy = float(re.search(r"accuracy test +([0-9.]+)", said).group(1))
assert accuracy > 0.95, f"expected nearly all made digits to be seen, found {accuracy}"
PYTHON

if "$script" --steps 0 2> "$work/error"; then exit 1; fi
grep -q -e "--steps: expected a number from 1 to 999999, found '0'" "$work/error"
