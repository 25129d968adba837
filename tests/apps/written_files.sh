#!/usr/bin/env bash
# How einplan, einrun and eintool write files: never through a link, whole or not at all, each by an open that makes it.
# Usage: written_files.sh BIN_FOLDER EXAMPLES_FOLDER
set -uo pipefail
bin=$(realpath "$1") examples=$(realpath "$2")
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export CUDA_VISIBLE_DEVICES='' OMP_NUM_THREADS=1
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# Every way in which a file is written, into the folder $1.
write_all() {
    mkdir -p "$1"
    "$bin/einplan" "$examples/first.json" -n 1 -o "$1/first.sched" --plan-out "$1/plan.json" --explain=html &&
    "$bin/eintool" make matmul 4 4 4 -o "$1/made.json" &&
    "$bin/eintool" import einsum "ij,jk->ik" --shapes 2x3,3x4 -o "$1/imported.json" &&
    "$bin/eintool" eval "$examples/first.json" --out "$1/evaluated" &&
    "$bin/eintool" preflight --cluster-out "$1/cluster.json" &&
    "$bin/einrun" "$1/first.sched" --quiet --out "$1/results" --report "$1/report.json" --trace "$1/trace.json"
}
write_all files > log 2>&1 || fail "writing: $(cat log)"
find files -type f -printf '%P\n' | sort > written
[ "$(wc -l < written)" -ge 10 ] || fail "expected ten files or more, found: $(cat written)"
[ -z "$(find files -name '.*partial*')" ] || fail "left over: $(find files -name '.*partial*')"

# Where each of them is to be stands a link to a file that must stay, also under names that were once used in between.
mkdir traps victims
while read -r file; do
    mkdir -p "traps/$(dirname "$file")" "victims/$(dirname "$file")"
    echo precious > "victims/$file"
    for name in "$file" "$file.partial" "$(dirname "$file")/.$(basename "$file").partial"; do
        ln -s "$work/victims/$file" "traps/$name"
    done
done < written
write_all traps > log 2>&1 || fail "writing where links are: $(cat log)"
while read -r file; do
    [ "$(head -c 100 "victims/$file")" = precious ] || fail "a link was followed, to $file"
    { [ -f "traps/$file" ] && [ ! -L "traps/$file" ]; } || fail "$file: expected a file in place of the link"
done < written

# A limit on sizes is an error of its own, with code 1, and nothing is left.
limited() {
    local what=$1 out code; shift
    rm -rf limited; mkdir limited
    out=$(ulimit -f 0; "$@" 2>&1); code=$?
    [ "$code" = 1 ] || fail "$what under ulimit -f 0: expected code 1, found $code: $out"
    [[ "$out" == *"File too large; raise the limit on file sizes (ulimit -f)"* ]] || fail "$what: $out"
    [ -z "$(find limited -type f)" ] || fail "$what left $(find limited -type f)"
}
limited einplan "$bin/einplan" "$examples/first.json" -n 1 -o limited/s.sched
limited make "$bin/eintool" make matmul 4 4 4 -o limited/made.json
limited eval "$bin/eintool" eval "$examples/first.json" --out limited
limited einrun "$bin/einrun" files/first.sched --quiet --out limited

# A cache that others may write in is reported, by rank 0 and once, where a device would use it.
mkdir -m 0777 open
export EINLOOM_CACHE=open
"$bin/einrun" files/first.sched --quiet --out limited --device emulated > log 2>&1 ||
    fail "einrun --device emulated: $(cat log)"
warning="einrun: warning: the cache open is not used: expected a folder of this user alone, found one that others"
[ "$(grep -c "$warning" log)" = 1 ] ||
    fail "expected a warning of the cache: $(cat log)"
"$bin/einrun" files/first.sched --quiet --out limited --device cpu > log 2>&1 || fail "einrun --device cpu: $(cat log)"
grep -q "the cache" log && fail "the CPU uses no cache: $(cat log)"
unset EINLOOM_CACHE

# "-" is standard output, where nothing else is then printed: a pipe, too, which has no positions.
cp "$examples/first.json" piped.json
"$bin/einplan" piped.json -n 2 -q -o piped.sched
"$bin/einplan" piped.json -n 2 -o - 2> log | cat > through.sched
cmp piped.sched through.sched || fail "einplan -o - printed another schedule"
grep -q "peak a rank" log || fail "einplan -o -: expected the summary on standard error: $(cat log)"
"$bin/einplan" - -n 2 -q -o - < piped.json > redirected.sched || fail "einplan - -o -"
"$bin/eintool" show redirected.sched > log || fail "einplan - -o - wrote no schedule"
"$bin/eintool" make matmul 2 2 2 -o - | "$bin/eintool" validate - > log || fail "eintool make -o -: $(cat log)"
"$bin/eintool" import einsum ij,jk --shapes 2x3,3x4 -o - | "$bin/eintool" validate - > log ||
    fail "import -o -: $(cat log)"
for refused in "einplan piped.json -n 2 -o - --explain" "einplan piped.json -n 2 -o - --batch mpirun" \
    "eintool run piped.json -n 2 -o -"; do
    # shellcheck disable=SC2086
    "$bin"/$refused > /dev/null 2> log
    [ $? = 2 ] || fail "$refused: expected exit 2, found: $(cat log)"
done
[ ! -e ./- ] || fail "a file is called -"
"$bin/einplan" piped.json -n 2 -o "with space.sched" > log
grep -q "mpirun -n 2 einrun 'with space.sched'" log || fail "expected a command that can be copied: $(cat log)"

# The same in system calls: whatever is opened for writing is made by that call, is what another call has made, or is a
# stream; nothing is truncated.
if strace -o /dev/null true 2> /dev/null; then
    export bin examples
    strace -f -qq -y -e trace=open,openat,creat,rename,renameat,renameat2 -o calls \
        bash -c "$(declare -f write_all); write_all traced" \
        > log 2>&1 || fail "writing under strace: $(cat log)"
    grep -E 'creat\(|O_(WRONLY|RDWR)' calls | grep -v ' = -1 ' | grep -E '"[^"]*traced/' > opened || true
    [ "$(wc -l < opened)" -ge 10 ] || fail "strace saw no files: $(cat opened)"
    if grep -vE 'O_EXCL.*O_NOFOLLOW|O_NOFOLLOW.*O_EXCL|O_WRONLY\|O_NOCTTY\|O_NOFOLLOW\|O_CLOEXEC\)' opened; then
        fail "opened for writing otherwise than by WrittenFile (above)"
    fi
    if grep -E 'O_CREAT' opened | grep -vE '\.partial-[^"]*-[0-9a-f]{16}"|einloom-unnamed'; then
        fail "made under a name that can be guessed (above)"
    fi
else
    echo "strace cannot trace here: system calls were not looked at"
fi
exit "$failed"
