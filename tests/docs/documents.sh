# shellcheck shell=bash
# What counts as a document of ours, and what as a source: sourced by the tests of this folder, in the root of a
# checkout.
documents() {
    find ./*.md docs lib planner scheduler executor apps tests scripts configs examples -name '*.md' |
        sed 's,^\./,,' | sort
}
sources() {
    find CMakeLists.txt cmake lib planner scheduler executor apps tests scripts -type f | sort |
        grep -E '\.([ch]pp|cuh|fbs|js|py|sh|cmake|cmake\.in)$|(^|/)CMakeLists\.txt$'
}
