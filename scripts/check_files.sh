#!/usr/bin/env bash
# Checks that files are made and written in one way: scripts/check_files.sh [ROOT]
#   lib/base/files/ alone makes, opens for writing and renames files (written_file.hpp), under names that nobody can
#   guess and never through a link. Streams, C files and system calls that write are faults anywhere else.
# Each fault is printed as file:line: what is wrong; the exit code is 1 when there is one. tests/layers/ checks this
# script with seeded faults.
set -euo pipefail
. "$(dirname "$0")/check_rooms.sh"

ways='\bO_(CREAT|TMPFILE|WRONLY|RDWR|TRUNC|APPEND)\b|\b(w?of|std::w?f)stream\b|\bfilebuf\b|\bf(d|re)?open(64)?[ (]'
ways+='|\bcreat(64)?\(|\bmk(o)?s?temps?(64)?\(|\btmp(file|nam)(64)?\(|\bmkdtemp\('
ways+='|(\b(std|fs|filesystem)|[^A-Za-z0-9_>])::rename\(|\brenameat2?\(|\bcopy_file\(|\bcreate_(sym|hard_)link\('
ways+='|\bcopy_options\b'
ways+='|\b(basic|rotating|daily)_(logger|file_sink)_?[ms]t\b'

found=$(grep -rnHE --include='*.[ch]pp' --include='*.[ch]' "$ways" "${rooms[@]}" | grep -v '^lib/base/files/' || true)
[ -n "$found" ] || exit 0
sed -E 's/^([^:]*:[0-9]*):.*/\1: writes files in a way of its own; use WrittenFile, ReplacedFile (lib\/base\/files)/' \
    <<< "$found"
exit 1
