#!/usr/bin/env bash
# Installs a build into a temporary folder and uses what is there as its users do: programs, Python module, man pages,
# completion, documents, module file, and examples/embed, which finds the library there:
#   install_test.sh CMAKE BUILD_DIR CXX MPIEXEC
set -euo pipefail
cmake=$1 build_dir=$2 cxx=$3 mpiexec=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix doc=$folder/prefix/share/doc/einloom
failed=0
fail() { echo "FAILED: $*"; failed=1; }
quiet() { "$@" > "$folder/log" 2>&1 || { cat "$folder/log"; fail "$*"; return 1; }; }

quiet "$cmake" --install "$build_dir" --prefix "$prefix" || exit 1

# What users look for is where they look for it.
for file in bin/einplan bin/einrun bin/eintool include/einloom.hpp lib/python3/dist-packages/einloom/__init__.py \
    lib/python3/dist-packages/einloom/py.typed share/einloom/schema/eingraph.schema.json \
    share/einloom/configs/laptop.json share/einloom/modules/einloom \
    share/doc/einloom/{README.md,CHANGELOG.md,LICENSE,docs/python.md,docs/cli.md,docs/library.md} \
    share/doc/einloom/examples/{first.json,python/science.py,embed/correlations.cpp}; do
    [ -e "$prefix/$file" ] || fail "expected $file, found none"
done
if [ -e "$build_dir/reference/made" ]; then
    for file in man/man1/{einplan,einrun,eintool}.1 bash-completion/completions/{einplan,einrun,eintool} \
        zsh/site-functions/_einloom; do
        [ -s "$prefix/share/$file" ] || fail "expected share/$file, found none"
    done
fi
# One header is public; the sources, the build folder and what Python compiled stay at home.
headers=$(cd "$prefix" && find . -name '*.hpp' -o -name '*.h')
[ "$headers" = ./include/einloom.hpp ] || fail "expected include/einloom.hpp alone, found $headers"
! grep -rlI -e "$build_dir" "$prefix" || fail "the files above mention the build folder $build_dir"
[ -z "$(find "$prefix" -name __pycache__)" ] || fail "compiled Python is installed"

# The installed programs start, and say which version they are without MPI.
for program in "$prefix"/bin/*; do quiet "$program" --version; done

# The Python module finds the programs that are installed beside it, and their version is its own.
if /usr/bin/python3 -c 'import numpy' 2> /dev/null; then
    (cd "$folder" && quiet env -u EINLOOM_BIN PYTHONDONTWRITEBYTECODE=1 "PYTHONPATH=$prefix/lib/python3/dist-packages" \
        /usr/bin/python3 -c "import einloom as el
assert el.run(el.ones(3) + 1).tolist() == [2, 2, 2]
assert '$("$prefix/bin/einplan" --version)' == 'einplan ' + el.__version__") || failed=1
fi

# The module file finds its prefix by itself.
if command -v tclsh > /dev/null && [ -x /usr/lib/x86_64-linux-gnu/modulecmd.tcl ]; then
    loaded=$(env -u EINLOOM_BIN tclsh /usr/lib/x86_64-linux-gnu/modulecmd.tcl bash load \
        "$prefix/share/einloom/modules/einloom" 2>&1)
    [[ "$loaded" == *"EINLOOM_BIN=$prefix/bin"* ]] || fail "the module file sets no EINLOOM_BIN: $loaded"
fi

# A program of its own is built from what is installed, and its ranks agree with one rank.
quiet "$cmake" -S "$doc/examples/embed" -B "$folder/build" -G Ninja "-DCMAKE_CXX_COMPILER=$cxx" \
    "-DCMAKE_PREFIX_PATH=$prefix" || exit 1
quiet "$cmake" --build "$folder/build" || exit 1
sums=
for ranks in 1 3; do
    printed=$(cd "$folder" && "$mpiexec" -n "$ranks" "$folder/build/correlations" 999 10) ||
        fail "correlations on $ranks ranks ended with $?: $printed"
    found=$(grep '^sum of squares' <<< "$printed" || true)
    [ -n "$found" ] && [ "${sums:=$found}" = "$found" ] || fail "expected '$sums' on $ranks ranks, found: $printed"
done
[[ "$sums" == *"of the diagonal 10.000000000" ]] || fail "expected a diagonal of ones, found '$sums'"
exit "$failed"
