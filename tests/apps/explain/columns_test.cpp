#include "apps/explain/columns.hpp"

#include "tests/support/catch.hpp"

using namespace ein::apps::explain;

TEST_CASE("text is fitted by characters, and never cut inside one", "[apps][explain][columns]") {
    CHECK(fitted("layer10.attention", 8) == "layer1..");
    CHECK(fitted("short", 8) == "short");
    CHECK(fitted("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", 3) == "\xc3\xa4..");
    CHECK(left("ab", 4) == "ab  ");
    CHECK(right("ab", 4) == "  ab");
}

TEST_CASE("lines are wrapped at spaces, else anywhere, and are so many at most", "[apps][explain][columns]") {
    CHECK(wrapped("a: ", "bb cc dd", 8) == "a: bb cc\n   dd\n");
    CHECK(wrapped("a: ", "", 8) == "a: \n");
    CHECK(wrapped("", "abcdefgh", 3) == "abc\ndef\ngh\n");
    CHECK(wrapped("", "aaaa bbbb cccc dddd", 9, 1) == "aaaa ...\n");
}
