# shellcheck shell=bash
# For scripts that check our sources as texts, whose first argument may be the root: this goes to the root and sets
# `rooms`, the folders of sources that are there.
cd "${1:-$(dirname "$0")/..}"

rooms=()
for room in lib planner scheduler executor apps; do
    if [ -d "$room" ]; then rooms+=("$room"); fi
done
if [ "${#rooms[@]}" -eq 0 ]; then
    echo "$(basename "$0"): no sources under $PWD" >&2
    exit 2
fi
