# shellcheck shell=bash
# Waiting for jobs in tests, and what is said of them; sourced. failed: 1 after the first fault. about: added to each.
failed=0
fail() { echo "FAILED${about:-}: $*"; failed=1; }
await() {   # CONDITION SECONDS
    for _ in $(seq $((10 * $2))); do eval "$1" && return 0; sleep 0.1; done
    fail "waited $2 s for: $1; $(cat log 2> /dev/null)"
    return 1
}
