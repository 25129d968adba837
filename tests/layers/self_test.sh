#!/usr/bin/env bash
# Checks scripts/check_layers.sh itself: in a copy of our sources each seeded fault must be found, and only there.
#   self_test.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
(cd "$source_dir" && find lib planner scheduler executor apps -name '*.[ch]pp' -print0 |
    tar --create --null --files-from=-) | tar --extract --directory="$copy"
check() { "$source_dir/scripts/check_layers.sh" "$copy"; }

failures=0
# expect OUTCOME FILE LINE: with LINE in a new FILE the check must find a fault there ("fault") or nothing ("fine").
expect() {
    local outcome=$1 file=$2 line=$3 output found=fine
    mkdir -p "$copy/$(dirname "$file")"
    printf '// seeded\n%s\n' "$line" > "$copy/$file"
    output=$(check) || found=fault
    rm "$copy/$file"
    if [ "$found" != "$outcome" ] || { [ "$outcome" = fault ] && [[ "$output" != "$file:2: "* ]]; }; then
        printf 'expected "%s" for %s in %s, found "%s":\n%s\n' "$outcome" "$line" "$file" "$found" "$output"
        failures=$((failures + 1))
    fi
}

if ! check; then
    echo "the sources have faults of their own (above): the other checks say nothing"
    exit 1
fi
for middle in planner scheduler executor; do
    expect fine "$middle/seeded.cpp" '#include "lib/base/error.hpp"'
    expect fine "$middle/seeded.cpp" "#include \"$middle/other.hpp\""
    expect fine apps/seeded.cpp "#include \"$middle/other.hpp\""
    expect fault lib/base/seeded.hpp "#include \"$middle/other.hpp\""
    expect fault "$middle/seeded.cpp" '#include "apps/other.hpp"'
    for other in planner scheduler executor; do
        [ "$other" = "$middle" ] || expect fault "$middle/seeded.cpp" "#include \"$other/other.hpp\""
    done
done
expect fine lib/schedule/seeded.cpp '#include "lib/tensor/source.hpp"'
expect fault lib/base/seeded.cpp '#include "lib/scalar/expression/expr.hpp"'
expect fault lib/scalar/seeded.cpp '#include <lib/tensor/source.hpp>'
expect fault lib/tensor/seeded.cpp '  #  include "lib/graph/graph.hpp"'
expect fine lib/graph/seeded.cpp '#include "lib/algebra/expression.hpp"'
expect fault lib/algebra/seeded.cpp '#include "lib/graph/einsum.hpp"'
expect fault lib/nowhere/seeded.cpp '#include "lib/base/error.hpp"'
expect fine executor/transport/mpi_seeded.cpp '#include <mpi.h>'
expect fault executor/engine/seeded.cpp '#include <mpi.h>'
expect fault lib/base/seeded.cpp '#include <mpi.h>'
expect fine executor/device/cuda/seeded.cpp '#include <cuda_runtime.h>'
expect fault executor/device/seeded.cpp '#include <cublas_v2.h>'
expect fault planner/seeded.cpp '#include "../lib/base/error.hpp"'
expect fault planner/seeded.cpp '#include "costs.hpp"'
expect fault planner/seeded.cpp '#include "tests/support/catch.hpp"'
expect fault tests/lib/seeded_test.cpp '#include "planner/plan.hpp"'
expect fault docs/seeded.md 'See ../sha''red/notes.md.'
exit "$((failures > 0))"
