#!/usr/bin/env bash
# Checks that the arrows between our folders point one way: scripts/check_layers.sh [ROOT]
#   apps -> planner, scheduler, executor -> lib         the three in the middle never include one another
#   lib: base < scalar < algebra < tensor < graph < relation < schedule        each includes itself and those before it
#   MPI in executor/transport/mpi* only, CUDA in executor/device/cuda* only
# All folders share one include root, so linking alone would not catch a wrong arrow. Each fault is printed as
# file:line: what is wrong; the exit code is 1 when there is one. tests/layers/ checks this script with seeded faults.
set -euo pipefail
. "$(dirname "$0")/check_rooms.sh"
tests=()
if [ -d tests ]; then tests=(tests); fi

# Lines such as lib/graph/read.cpp:7:#include "lib/base/json.hpp"
includes() {
    grep -rnHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' --include='*.[ch]' --include='*.[ch]pp' \
        --include='*.cu' --include='*.cuh' --include='*.inc' --include='*.inl' "${rooms[@]}" "${tests[@]}" || true
}

check_includes() {
    awk '
    BEGIN {
        may["lib"] = "lib"
        may["planner"] = "planner lib"; may["scheduler"] = "scheduler lib"; may["executor"] = "executor lib"
        may["apps"] = "apps planner scheduler executor lib"
        split("base scalar algebra tensor graph relation schedule", order, " ")
        for (i in order) level[order[i]] = i + 0
    }
    function fault(message) { print place ": " message; bad = 1 }
    function among(word, words) { return index(" " words " ", " " word " ") > 0 }
    {
        split($0, field, ":")
        file = field[1]
        place = file ":" field[2]
        header = $0
        sub(/^[^:]*:[^:]*:[^<"]*/, "", header)
        quoted = substr(header, 1, 1) == "\""
        header = substr(header, 2)
        sub(/[>"].*/, "", header)
        split(file, from, "/")
        depth = split(header, to, "/")
        room = from[1]

        if (header ~ /^mpi(-ext)?\.h$/ && room != "tests" && file !~ /^executor\/transport\/mpi/)
            fault("MPI belongs in executor/transport/mpi*; go through the transport interface")
        if (header ~ /^(cuda|cublas|cudnn|nvrtc|nccl|nvToolsExt|nvtx)/ && room != "tests" &&
            file !~ /^executor\/device\/cuda/)
            fault("CUDA belongs in executor/device/cuda*; go through the device interface")
        if (quoted && header ~ /^\.\.?\//)
            fault("\"" header "\" is relative; include from the root of the sources")
        else if (quoted && depth == 1 && header !~ /_generated\.h$/)
            fault("\"" header "\" names no folder; include from the root of the sources")

        if (room == "tests") {
            # Tests of lib know lib alone, so that it can be built and tested by itself.
            if (from[2] == "lib" && (to[1] in may) && to[1] != "lib")
                fault("tests of lib do not include " to[1] "/")
            next
        }
        if (to[1] == "tests") fault("the product does not include its tests")
        if (!(to[1] in may)) next
        if (!among(to[1], may[room])) fault(room " does not include " to[1] "/")
        if (room == "lib" && to[1] == "lib") {
            if (!(from[2] in level)) fault("lib/" from[2] " has no place in the order of lib (see check_layers.sh)")
            else if (!(to[2] in level)) fault("lib/" to[2] " has no place in the order of lib (see check_layers.sh)")
            else if (level[to[2]] > level[from[2]])
                fault("lib/" from[2] " comes before lib/" to[2] " and does not include it")
        }
    }
    END { exit bad }'
}

# A checkout stands alone: nothing in it points at a folder beside it.
check_alone() {
    local found
    found=$(grep -rnHF --exclude-dir=.git --exclude-dir='build*' --exclude-dir=results \
        -e "../""shared" -e "/work/""shared" . || true)
    [ -n "$found" ] || return 0
    sed -E 's/^\.\/([^:]*:[0-9]*):.*/\1: mentions a folder outside the checkout/' <<< "$found"
    return 1
}

status=0
includes | check_includes || status=1
check_alone || status=1
exit "$status"
