# shellcheck shell=bash
# Sourced by the scripts that run a tool of clang over our sources: which one there is, and what it needs.

# find_tool NAME PACKAGE CANDIDATE...: sets `tool` to the first candidate that is installed; ends with 77 without one.
# shellcheck disable=SC2034  # for whoever sources this
find_tool() {
    local script name=$1 package=$2 candidate
    script=$(basename "$0")
    shift 2
    for candidate in "$@"; do
        if command -v "$candidate" > /dev/null; then tool=$candidate; return; fi
    done
    echo "$script: skipped, because $name is missing (apt-get install -y --no-install-recommends $package)"
    exit 77
}

# need_commands BUILD: that folder knows how each source is compiled.
need_commands() {
    [ ! -f "$1/compile_commands.json" ] || return 0
    echo "$(basename "$0"): $1/compile_commands.json is missing; configure first (scripts/build.sh)," \
        "or name a build folder with --build" >&2
    exit 2
}
