# What counts as a document of ours: sourced by the tests of this folder, in the root of a checkout.
documents() {
    find ./*.md docs lib planner scheduler executor apps tests scripts configs examples -name '*.md' | sed 's,^\./,,' | sort
}
