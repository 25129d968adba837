#!/usr/bin/env bash
# Builds Einloom: scripts/build.sh [preset] [--no-tests]
#   preset  release (default), debug, asan-ubsan, tsan or fuzz; see CMakePresets.json
# The programs are then in build/bin (release) or build-PRESET/bin. EIN_JOBS sets the number of compilers at a time.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
configure=()
for argument in "$@"; do
    case "$argument" in
        --no-tests) configure+=(-DEIN_BUILD_TESTS=OFF) ;;
        -h | --help) sed -n '2,4s/^# //p' "$0"; exit 0 ;;
        -*) echo "build.sh: expected a preset or --no-tests, found '$argument'" >&2; exit 2 ;;
        *) preset=$argument ;;
    esac
done
case "$preset" in
    release) folder=build ;;
    debug | asan-ubsan | tsan | fuzz) folder=build-$preset ;;
    *) echo "build.sh: expected the preset release, debug, asan-ubsan, tsan or fuzz, found '$preset'" >&2; exit 2 ;;
esac
[ "${#configure[@]}" -gt 0 ] || configure=(-DEIN_BUILD_TESTS=ON)

# One compiler a core, but no more than memory holds: the largest of our sources takes about 1.5 GiB.
compilers_at_a_time() {
    local cores kib by_memory
    cores=$(nproc)
    kib=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)
    by_memory=$((kib / 1572864))
    echo $((by_memory < 1 ? 1 : by_memory < cores ? by_memory : cores))
}

./scripts/install-deps.sh

# CMake refuses a folder that was configured in another place or for another build tool: begin anew there.
configured_here() {
    grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$1" && grep -qx 'CMAKE_GENERATOR:INTERNAL=Ninja' "$1"
}
cache=$folder/CMakeCache.txt
if [ -e "$cache" ] && ! configured_here "$cache"; then rm -rf "$cache" "$folder/CMakeFiles"; fi
jobs=${EIN_JOBS:-$(compilers_at_a_time)}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! cmake --preset "$preset" "${configure[@]}" > "$log" 2>&1; then
    cat "$log" >&2
    echo "build.sh: configuring failed (see above); if a package is missing, run scripts/install-deps.sh" >&2
    exit 1
fi

echo "building $folder/ (preset $preset, $jobs at a time)"
quiet=(--quiet)
if [ -t 1 ]; then quiet=(); fi
started=$SECONDS
cmake --build "$folder" --parallel "$jobs" -- "${quiet[@]}"
echo "built $folder/bin in $((SECONDS - started)) s"
