# What tests of command lines have in common, sourced by them: a folder to work in, which goes with them, and commands
# with what they say.
# shellcheck shell=bash disable=SC2034

work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# expect CODE TEXT COMMAND...: the command ends with CODE and its output holds TEXT
expect() {
    local code=$1 text=$2 out got; shift 2
    out=$("$@" 2>&1); got=$?
    if [ "$got" != "$code" ] || [[ "$out" != *"$text"* ]]; then
        fail "$* : expected exit $code and '$text', found exit $got and: $out"
    fi
}
