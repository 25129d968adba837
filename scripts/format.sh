#!/usr/bin/env bash
# Formats our C++ sources in place: scripts/format.sh [--check] [FILE...]
#   --check  changes nothing; lists the files that would change and exits 1 when there are any
# Uses clang-format 14, as Debian 12 has it: another version would format differently.
set -euo pipefail
cd "$(dirname "$0")/.."

check=no
if [ "${1:-}" = --check ]; then check=yes; shift; fi
if [[ "${1:-}" == -* ]]; then sed -n '2,3s/^# //p' "$0"; exit 2; fi

tool=
for candidate in clang-format-14 clang-format; do
    if command -v "$candidate" > /dev/null; then tool=$candidate; break; fi
done
if [ -z "$tool" ]; then
    echo "format.sh: clang-format is missing; install it with:" \
        "apt-get install -y --no-install-recommends clang-format-14" >&2
    exit 1
fi
version=$("$tool" --version | sed -E 's/.*version ([0-9]+)\..*/\1/')
if [ "$version" != 14 ]; then
    echo "format.sh: expected clang-format 14, found $version; install clang-format-14 beside it" >&2
    exit 1
fi

files=("$@")
if [ "${#files[@]}" -eq 0 ]; then
    mapfile -t files < <(find lib planner scheduler executor apps tests -name '*.[ch]pp' | sort)
fi
if [ "$check" = no ]; then
    "$tool" -i "${files[@]}"
    exit 0
fi
unformatted=()
for file in "${files[@]}"; do
    "$tool" --dry-run --Werror "$file" > /dev/null 2>&1 || unformatted+=("$file")
done
[ "${#unformatted[@]}" -gt 0 ] || exit 0
printf '%s\n' "${unformatted[@]}"
echo "format.sh: ${#unformatted[@]} of ${#files[@]} files are not formatted; run scripts/format.sh" >&2
exit 1
