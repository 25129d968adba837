#include "lib/base/text/near_names.hpp"

#include "tests/support/catch.hpp"

using namespace ein;

TEST_CASE("the nearest name is the one that takes the fewest edits", "[lib][base][near_names]") {
    std::vector<std::string> const known{"inputs", "einsum", "join", "agg", "dtype", "sizes"};
    CHECK(nearest_name("input", known) == "inputs");
    CHECK(nearest_name("einsun", known) == "einsum");
    CHECK(nearest_name("jion", known) == "join");
    CHECK(nearest_name("size", known) == "sizes");
    CHECK(nearest_name("agg", known) == "agg");
    CHECK(nearest_name("ag", known) == "agg");
}

TEST_CASE("a name that is like none has no nearest name", "[lib][base][near_names]") {
    std::vector<std::string> const known{"inputs", "einsum"};
    CHECK(nearest_name("something-else-altogether", known).empty());
    CHECK(nearest_name("", {}).empty());
    CHECK(nearest_name("x", {}).empty());
    CHECK(nearest_name("Q", std::vector<std::string>{"A", "B"}).empty());  // one letter is like no other
}

TEST_CASE("words that mean something else are not taken for slips", "[lib][base][near_names]") {
    std::vector<std::string> const known{"sum", "ceil", "while", "dims", "minimum", "weight", "nodes", "mean"};
    for (char const* word : {"cumsum", "tril", "until", "bias", "einsum", "mode", "height-of"})
        CHECK(nearest_name(word, known).empty());
    CHECK(nearest_name("odes", known) == "nodes");     // the first letter is lacking, and nothing else is wrong
    CHECK(nearest_name("wiehgt", known) == "weight");  // letters are exchanged twice
    CHECK(nearest_name("maen", known) == "mean");
}

TEST_CASE("among equally near names the first is reported", "[lib][base][near_names]") {
    std::vector<std::string> const known{"sum", "max", "sam"};
    CHECK(nearest_name("sxm", known) == "sum");
    CHECK(nearest_name("A3", std::vector<std::string>{"A", "A2", "A4"}) == "A2");  // of the same length
}

TEST_CASE("a name that differs in capitals alone is the nearest", "[lib][base][near_names]") {
    std::vector<std::string> const known{"b", "sum", "SAM", "A"};
    CHECK(nearest_name("a", known) == "A");
    CHECK(nearest_name("sam", known) == "SAM");  // sum is one edit away
}

TEST_CASE("names are asked for in one way of quoting", "[lib][base][near_names]") {
    std::vector<std::string> const known{"weight", "weights", "bias"};
    CHECK(did_you_mean("--out") == "did you mean \"--out\"?");
    CHECK(mend_name("bia", known) == "did you mean \"bias\"?");
    CHECK(mend_name("Q", known).empty());
    CHECK(mend_name("Q", known, "remove it") == "remove it");
    CHECK(mend_names("weihgt", known, "the file") == "did you mean \"weight\" or \"weights\"?");
    CHECK(mend_names("Q", known, "the file") == "the file has weight, weights or bias");
    CHECK(mend_names("Q", {"a", "b", "c", "d", "e", "f"}, "the graph") == "the graph has among others a, b, c, d or e");
    CHECK(mend_names("Q", {}, "the file") == "the file holds none at all");
}

TEST_CASE("a mend and another one read as one sentence", "[lib][base][near_names]") {
    CHECK(or_else("check its name", "give another") == "check its name, or give another");
    CHECK(or_else(did_you_mean("A.npy"), "give another") == "did you mean \"A.npy\"? or give another");
    CHECK(or_else("", "give another") == "give another");
}
