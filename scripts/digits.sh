#!/usr/bin/env bash
# Trains a classifier of handwritten digits on real data: scripts/digits.sh [OPTIONS]
#   --ranks N       ranks on this machine (2)
#   --steps T       steps of Adam, each over 200 images (2400)
#   --seed S        of the shuffle and of the first weights (1)
#   --work DIR      where data, graph, schedule and results go (build/digits)
#   --data FILE     scikit-learn's digits.csv.gz (default: the installed one, else fetched from Debian's package)
#   --no-compare    do not train scikit-learn's network for comparison
# 1437 images of 8 x 8 pixels are learned, 360 others are classified. Prints the loss, the accuracies and, where it is
# installed, scikit-learn's accuracy on the same images; exit code 1 when ours is worse by more than 0.01.
# BIN: another folder of programs.
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }
wrong() { echo "digits.sh: $*" >&2; exit 2; }
from_here() { case "$1" in /*) echo "$1" ;; *) echo "$here/$1" ;; esac; }    # a path as the user means it

ranks=2 steps=2400 seed=1 work=build/digits data="" compare=yes
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help) usage; exit 0 ;;
        --no-compare) compare=no; shift; continue ;;
        --ranks | --steps | --seed | --work | --data) [ $# -gt 1 ] || wrong "expected a value after $1" ;;
        *) wrong "expected an option of --help, found '$1'" ;;
    esac
    case "$1" in
        --ranks) ranks=$2 ;;
        --steps) steps=$2 ;;
        --seed) seed=$2 ;;
        --work) work=$(from_here "$2") ;;
        --data) data=$(from_here "$2") ;;
    esac
    shift 2
done
[[ $ranks =~ ^[1-9][0-9]{0,4}$ ]] || wrong "--ranks: expected a number from 1 to 99999, found '$ranks'"
[[ $steps =~ ^[1-9][0-9]{0,5}$ ]] || wrong "--steps: expected a number from 1 to 999999, found '$steps'"
[[ $seed =~ ^(0|[1-9][0-9]{0,5})$ ]] || wrong "--seed: expected a number from 0 to 999999, found '$seed'"

python=/usr/bin/python3      # Debian's, which has python3-sklearn where that is installed
if [ ! -x $python ]; then
    echo "digits.sh: expected $python, found none;" \
        "run: sudo apt-get install -y --no-install-recommends python3-minimal" >&2
    exit 1
fi
source scripts/local_mpi.sh
bin=${BIN:-build/bin}
[ -x "$bin/einrun" ] || ./scripts/build.sh release --no-tests
mkdir -p "$work"

# fetch FILE: digits.csv.gz out of Debian's package of scikit-learn, which is not installed. Needs no root but for apt's
# lists.
fetch() (
    command -v apt-get > /dev/null && command -v dpkg-deb > /dev/null || return 1
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cd "$folder"
    download() { apt-get -qq -o APT::Sandbox::User=root download python3-sklearn > log 2>&1; }
    download || { [ "$(id -u)" -eq 0 ] && apt-get -qq update > log 2>&1 && download; } || { cat log >&2; return 1; }
    dpkg-deb --fsys-tarfile python3-sklearn_*.deb |
        tar -xO ./usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz > digits.csv.gz &&
            mv digits.csv.gz "$1"
)

[ -n "$data" ] || data=$($python scripts/digits.py find)
if [ -z "$data" ]; then
    data=$(realpath "$work")/digits.csv.gz
    if [ ! -e "$data" ] && ! fetch "$data"; then
        echo "digits.sh: expected the digits of scikit-learn, found none and could not fetch them; run" >&2
        echo "    sudo apt-get update && sudo apt-get install -y --no-install-recommends python3-sklearn" >&2
        echo "or give its digits.csv.gz by --data FILE" >&2
        exit 1
    fi
fi

show() { printf '$ %s\n' "$*"; "$@"; }
$python scripts/digits.py prepare "$data" "$work" "$steps" "$seed"
show "$bin/einplan" "$work/digits.json" -n "$ranks" --decompose eindecomp
show mpirun -n "$ranks" "$bin/einrun" "$work/digits.sched" --out "$work/results" --report "$work/report.json" \
    --quiet < /dev/null
echo
$python scripts/digits.py report "$work"
[ $compare = no ] || $python scripts/digits.py compare "$work"
