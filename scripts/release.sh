#!/usr/bin/env bash
# Makes a release of what is committed: scripts/release.sh [--no-deb] [FOLDER]
#   FOLDER    where it goes (default: dist)
#   --no-deb  tarball, notes and checksums only: nothing is built
# In it: einloom-VERSION.tar.gz, einloom_VERSION_ARCH.deb (built from that tarball), notes.md (the version's part of
# CHANGELOG.md), package.py (the Spack recipe with the tarball's checksum) and SHA256SUMS. The version is that of
# CMakeLists.txt. Refused: a tree with changes, a version without notes, a tag of it on another commit.
set -euo pipefail
cd "$(dirname "$0")/.."

deb=yes out=
for argument in "$@"; do
    case "$argument" in
        --no-deb) deb=no ;;
        -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
        -*) echo "release.sh: expected --no-deb or a folder, found '$argument'" >&2; exit 2 ;;
        *) out=$argument ;;
    esac
done
out=${out:-dist}
refuse() { echo "release.sh: $1" >&2; exit 1; }

version=$(sed -n 's/^project(einloom VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || refuse "CMakeLists.txt: expected project(einloom VERSION N.N.N), found none"
changes=$(git status --porcelain)
[ -z "$changes" ] || refuse "expected a tree without changes, found these; commit them or take them away:
$changes"
# From the heading of the version to the next one.
notes=$(awk -v version="$version" '/^## / { on = ($2 == version); next } on' CHANGELOG.md | sed -e '/./,$!d')
[ -n "$notes" ] || refuse "CHANGELOG.md: expected a part '## $version' with notes, found none; name what is below \
'## Unreleased' so, or give CMakeLists.txt the version that is meant"
head=$(git rev-parse HEAD)
tagged=$(git rev-parse -q --verify "refs/tags/v$version^{commit}" || true)
[ -z "$tagged" ] || [ "$tagged" = "$head" ] ||
    refuse "v$version: expected no such tag, or this commit, found $tagged; give CMakeLists.txt the next version"
[ -z "$(ls -A "$out" 2> /dev/null)" ] || refuse "$out: expected no such folder, or an empty one, found files in it"

mkdir -p "$out"
out=$(cd "$out" && pwd)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)   # the same files from the same commit
export SOURCE_DATE_EPOCH
name=einloom-$version
git archive --format=tar --prefix="$name/" HEAD | gzip -9n > "$out/$name.tar.gz"
printf '# Einloom %s\n\n%s\n' "$version" "$notes" > "$out/notes.md"
sum=$(sha256sum "$out/$name.tar.gz")
sed -e "s/@VERSION@/$version/" -e "s/@SHA256@/${sum%% *}/" packaging/spack/package.py > "$out/package.py"

if [ "$deb" = yes ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    tar -xzf "$out/$name.tar.gz" -C "$work"
    (cd "$work/$name" && ./scripts/build.sh --no-tests && cpack --config build/CPackConfig.cmake > cpack.log) ||
        { cat "$work/$name/cpack.log" >&2 || true; refuse "the package could not be built (see above)"; }
    cp "$work/$name"/build/package/*.deb "$out"
fi

(cd "$out" && find . -maxdepth 1 -type f ! -name "SHA256SUMS*" -printf "%f\n" | sort | xargs sha256sum > SHA256SUMS)
echo "in $out:"
(cd "$out" && ls -- *)
echo "then: git tag -a v$version -F $out/notes.md && git push origin v$version"
