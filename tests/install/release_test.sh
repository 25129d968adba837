#!/usr/bin/env bash
# scripts/release.sh in a repository of its own: what it refuses, and what it makes: release_test.sh ROOT
# Exits with 77 (skipped) where there is no git.
set -euo pipefail
root=$1
command -v git > /dev/null || { echo "skipped: git is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
# expect CODE TEXT [OPTION...]: the release ends with the code and says the text
expect() {
    local code=$1 text=$2 said got=0; shift 2
    said=$(./scripts/release.sh --no-deb "$@" 2>&1) || got=$?
    { [ "$got" = "$code" ] && [[ "$said" == *"$text"* ]]; } ||
        fail "release.sh $*: expected exit $code and '$text', found exit $got and: $said"
}

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export GIT_COMMITTER_DATE="2026-01-02T03:04:05Z" GIT_AUTHOR_DATE="2026-01-02T03:04:05Z"
mkdir -p "$work/tree/scripts" "$work/tree/packaging/spack"
cd "$work/tree"
cp "$root/scripts/release.sh" scripts
cp "$root/packaging/spack/package.py" packaging/spack
cp "$root/CMakeLists.txt" .
printf '/dist/\n' > .gitignore
version=$(sed -n 's/^project(einloom VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || fail "CMakeLists.txt says no version"
printf '# Changelog\n\n## Unreleased\n\n- something\n' > CHANGELOG.md
git init -q .
git add -A && git commit -qm "one"

expect 2 "expected --no-deb or a folder, found '--rpm'" --rpm
expect 1 "expected a part '## $version' with notes, found none"
printf '# Changelog\n\n## %s\n\n## 0.0.1\n\n- old\n' "$version" > CHANGELOG.md
expect 1 "expected a tree without changes"
git commit -qam "two"
expect 1 "expected a part '## $version' with notes, found none"
printf '# Changelog\n\n## Unreleased\n\n- later\n\n## %s\n\n- this one\n\n## 0.0.1\n\n- old\n' "$version" > CHANGELOG.md
git commit -qam "three"
touch new
expect 1 "?? new"
rm new
git tag "v$version" HEAD~1
expect 1 "expected no such tag, or this commit"
git tag -d "v$version" > /dev/null
mkdir dist && touch dist/old
expect 1 "dist: expected no such folder, or an empty one"
rm -r dist
expect 0 "einloom-$version.tar.gz"

[ "$(cat dist/notes.md)" = "# Einloom $version"$'\n\n'"- this one" ] || fail "notes.md is: $(cat dist/notes.md)"
(cd dist && sha256sum --quiet -c SHA256SUMS) || fail "SHA256SUMS do not fit"
[ "$(wc -l < dist/SHA256SUMS)" = 3 ] || fail "expected three checksums, found $(cat dist/SHA256SUMS)"
sum=$(sha256sum < "dist/einloom-$version.tar.gz")
grep -q "version(\"$version\", sha256=\"${sum%% *}\")" dist/package.py || fail "the Spack recipe lacks the checksum"
tar -xzf "dist/einloom-$version.tar.gz" -C "$work"
diff -r --exclude=.git --exclude=dist . "$work/einloom-$version" || fail "the tarball is not the tree"
mv dist "$work/first"
expect 0 "einloom-$version.tar.gz" "$work/again"
cmp "$work/first/einloom-$version.tar.gz" "$work/again/einloom-$version.tar.gz" ||
    fail "the same commit gives another tarball"
exit "$failed"
