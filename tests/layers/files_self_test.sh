#!/usr/bin/env bash
# Checks scripts/check_files.sh itself: each seeded way of writing a file must be found, and reading must not.
#   files_self_test.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

failures=0
# expect OUTCOME FILE LINE: with LINE in FILE alone the check must find a fault there ("fault") or nothing ("fine").
expect() {
    local outcome=$1 file=$2 line=$3 output found=fine
    mkdir -p "$copy/$(dirname "$file")"
    printf '// seeded\n%s\n' "$line" > "$copy/$file"
    output=$("$source_dir/scripts/check_files.sh" "$copy") || found=fault
    rm "$copy/$file"
    if [ "$found" != "$outcome" ] || { [ "$outcome" = fault ] && [[ "$output" != "$file:2: "* ]]; }; then
        printf 'expected "%s" for %s in %s, found "%s":\n%s\n' "$outcome" "$line" "$file" "$found" "$output"
        failures=$((failures + 1))
    fi
}

for line in 'std::ofstream out(path);' 'std::fstream both(path);' 'std::FILE* f = std::fopen(name, "w");' \
    'int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);' 'int fd = open(path, O_RDWR);' \
        'int fd = ::creat(path, 0666);' \
    'int fd = mkstemp(name.data());' 'int fd = ::mkostemp(name.data(), O_CLOEXEC);' 'std::filesystem::rename(a, b);' \
    'fs::rename(a, b);' 'if (::rename(a, b) != 0) fail();' 'fs::copy_file(a, b);' 'auto f = std::tmpfile();' \
    'auto log = spdlog::basic_logger_mt("x", "x.log");'; do
    expect fault executor/seeded.cpp "$line"
    expect fine lib/base/files/seeded.cpp "$line"
done
for line in 'std::ifstream in(path);' 'int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);' '#include <fstream>' \
    'void GraphBuilder::rename(ValueId value);' 'builder_.rename(value, "computed");'; do
    expect fine executor/seeded.cpp "$line"
done
exit "$((failures > 0))"
