#!/usr/bin/env bash
# Man pages and completion, made of the programs' --help: reference_test.sh ROOT BIN PYTHON
set -euo pipefail
root=$1 bin=$2 python=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
PYTHONDONTWRITEBYTECODE=1 "$python" "$root/scripts/reference/make_reference.py" "$bin" --into "$work"

# The long options that a program or command lists.
options_of() { "$@" --help | sed -nE 's/^  (-[a-zA-Z],)?(--[a-z0-9-]+).*/\2/p'; }
commands=$("$bin/eintool" --help | sed -n '/^Subcommands:/,$s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<< "$commands")" -ge 10 ] || fail "expected ten commands of eintool or more, found: $commands"

# Every option is in the man page, and offered behind its program or command.
for program in einplan einrun eintool; do
    page=$(sed 's/\\-/-/g' "$work/man1/$program.1")
    offered=$(cat "$work/bash/$program" "$work/zsh/_einloom")
    words=("")
    [ "$program" != eintool ] || mapfile -t words <<< "$commands"
    for word in "${words[@]}"; do
        for option in $(options_of "$bin/$program" ${word:+"$word"}); do
            [[ "$page" == *"$option"* ]] || fail "$program.1 lacks $option of '$program $word'"
            [[ "$offered" == *"$option"* ]] || fail "completion lacks $option of '$program $word'"
        done
    done
    [[ "$page" == *"SYNOPSIS"*"OPTIONS"*"EXIT STATUS"*".B 75"* ]] || fail "$program.1 lacks a part"
    # Whichever reader of man pages is here has nothing to say of it.
    if command -v mandoc > /dev/null; then
        said=$(mandoc -T lint -W warning "$work/man1/$program.1" | grep -v 'missing date' || true)
        [ -z "$said" ] || fail "$said"
    elif command -v man > /dev/null; then
        said=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$work/man1/$program.1" 2>&1 > /dev/null || true)
        [ -z "$said" ] || fail "$program.1: $said"
    fi
    bash -n "$work/bash/$program" || fail "bash cannot read the completion of $program"
done
if command -v zsh > /dev/null; then zsh -n "$work/zsh/_einloom" || fail "zsh cannot read its completion"; fi

# offered WORDS...: what bash offers for the last of the words, as it cuts them (at = too).
offered() {
    bash -c 'compopt() { :; }; source "$1"; shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        "_$1"; echo "${COMPREPLY[*]}"' bash "$work/bash/$1" "$@"
}
# expect WHAT WORDS...
expect() {
    local wanted=$1 found; shift
    found=$(offered "$@")
    [ "$found" = "$wanted" ] || fail "behind '$*' expected '$wanted' to be offered, found '$found'"
}
expect "--decompose" einplan --dec
expect "megatron" einplan --decompose meg
expect "text json html" einplan --explain =
expect "json" einplan graph.json --explain = j
expect "" einplan -n ""
expect "import" eintool imp
expect "$(xargs <<< "$commands")" eintool ""
expect "safetensors-llama" eintool import safe
expect "llama" eintool make ll
expect "--kv-heads" eintool make llama --kv
expect "--decompose" eintool run graph.json --dec
expect "cuda" eintool run graph.json --device cu
expect "plain" einrun graph.sched --progress pl
cd "$root"
expect "examples/first.json" einplan examples/firs
exit "$failed"
