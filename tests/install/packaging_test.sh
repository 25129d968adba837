#!/usr/bin/env bash
# Files under packaging/ are well-formed as far as it can be told without Spack, Apptainer or Podman:
#   packaging_test.sh ROOT
set -euo pipefail
cd "$1/packaging"
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# The Spack recipe: Python, with what a recipe must have; each option that it gives to CMake is one.
if command -v python3 > /dev/null; then
    python3 - spack/package.py <<'END' || fail "spack/package.py (see above)"
import ast, pathlib, re, sys
tree = ast.parse(pathlib.Path(sys.argv[1]).read_text())
(recipe,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
assert recipe.name == "Einloom" and [base.id for base in recipe.bases][0] == "CMakePackage", recipe.name
called = [node.func.id for node in ast.walk(recipe) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
assert {"version", "license", "depends_on", "variant"} <= set(called), called
text = ast.unparse(recipe)
known = "".join(path.read_text() for path in pathlib.Path("../cmake").glob("*.cmake"))
for option in sorted(set(re.findall(r"EIN_\w+", text))):
    assert re.search(rf"\b{option}\b", known), f"{option} is no option of the build"
END
fi

# Images: every file and program that they name is there, every instruction is one.
while read -r word rest; do
    case "$word" in
        "" | \#* | FROM | RUN | COPY | WORKDIR | ENV | USER | CMD | "&&") ;;
        *) fail "container/Containerfile: expected an instruction, found '$word $rest'" ;;
    esac
done < container/Containerfile
for named in $(grep -oE '\./scripts/[a-z-]+\.sh' container/Containerfile); do
    [ -x "../$named" ] || fail "container/Containerfile: $named is not there"
done
grep -q '^Bootstrap: docker$' apptainer/einloom.def || fail "apptainer/einloom.def says no Bootstrap"
sections=$(sed -n 's/^%\([a-z]*\)$/\1/p' apptainer/einloom.def | xargs)
[ "$sections" = "files post test runscript labels" ] || fail "apptainer/einloom.def: unexpected sections: $sections"
for section in post test runscript; do
    sed -n "/^%$section\$/,/^%/{//d;p}" apptainer/einloom.def | sh -n || fail "apptainer/einloom.def: %$section"
done
# The module file is Tcl that sets what it should (tests/install/install_test.sh loads it).
head -n 1 modules/einloom | grep -q '^#%Module' || fail "modules/einloom: expected #%Module in the first line"
if command -v tclsh > /dev/null; then
    complete=$(tclsh <(echo 'set f [open [lindex $argv 0]]; puts [info complete [read $f]]') modules/einloom)
    [ "$complete" = 1 ] || fail "modules/einloom: a brace or quote is not closed"
fi
exit "$failed"
