#include "lib/base/limits.hpp"

#include <cstdlib>

#include "lib/base/error.hpp"
#include "lib/base/json.hpp"
#include "tests/lib/base/files/folder.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/limits_set.hpp"

using namespace ein;
using ein::test::LimitsSet;

namespace {

std::string refusal_of(std::string const& text) {
    try {
        parse_json(text, "g.json");
    } catch (InputError const& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("each limit has its standard, and a row of docs/limits.md that says it", "[lib][base][limits]") {
    unsetenv("EINLOOM_LIMITS");
    std::string const text = read_text_file(EIN_DOCS "/limits.md");
    for (LimitRow const& row : limit_rows()) {
        CAPTURE(row.name);
        CHECK(most(row.limit) == row.standard);
        std::string const amount =
            row.bytes ? amount_text(row.limit, static_cast<std::uint64_t>(row.standard)) : std::to_string(row.standard);
        CHECK(text.find("| `" + std::string(row.name) + "` | " + amount + " | " + std::string(row.what) + " |") !=
              std::string::npos);
    }
}

TEST_CASE("EINLOOM_LIMITS moves any number of limits", "[lib][base][limits]") {
    LimitsSet const set("nodes=5,text=2GiB,nodes=7");
    CHECK(most(Limit::nodes) == 7);
    CHECK(most(Limit::text) == std::int64_t{2} << 30);
    CHECK(most(Limit::labels) == 100000);
    CHECK(at_most(Limit::nodes) == "at most 7");
    CHECK(at_most(Limit::text) == "at most 2 GiB");
    CHECK(how_to_allow(Limit::nodes, 9) == "allow more with EINLOOM_LIMITS=nodes=16");
    CHECK(how_to_allow(Limit::text, 3000000) == "allow more with EINLOOM_LIMITS=text=4MiB");
    CHECK(how_to_allow(Limit::expression, 3000) == "allow more with EINLOOM_LIMITS=expression=4KiB");
}

TEST_CASE("a setting that cannot be read is reported", "[lib][base][limits]") {
    auto const refusal = [](std::string const& text) {
        LimitsSet const set(text);
        try {
            most(Limit::nodes);
        } catch (UsageError const& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(refusal("node=5").find("EINLOOM_LIMITS: expected text, string, ") == 0);
    CHECK(refusal("node=5").find("found 'node'; did you mean \"nodes\"?") != std::string::npos);
    CHECK(refusal("nodes=many") == "EINLOOM_LIMITS: expected a number for nodes, found 'many'; write nodes=5000000");
    CHECK(refusal("nodes") == "EINLOOM_LIMITS: expected a number for nodes, found ''; write nodes=5000000");
    CHECK(refusal("text=-1") == "EINLOOM_LIMITS: expected a size for text, found '-1'; write text=1GiB");
}

TEST_CASE("a JSON text, its strings and its nesting have limits", "[lib][base][limits]") {
    LimitsSet const set("text=64,string=8,nesting=3");
    CHECK(refusal_of(R"({"a": [["12345678"]], "b": [[]]})").empty());
    CHECK(refusal_of("[" + std::string(64, ' ') + "]") ==
          "g.json: line 1, column 1: expected a JSON text of at most 64 B, found 66 B; make it smaller, or allow more "
          "with EINLOOM_LIMITS=text=128");
    CHECK(refusal_of("[1,\n \"123456789\"]") ==
          "g.json: line 2, column 2: expected a string of at most 8 B, found 9 B; make it smaller, or allow more with "
          "EINLOOM_LIMITS=string=16");
    CHECK(refusal_of("[[[[]]]]") ==
          "g.json: line 1, column 4: expected nesting of at most 3, found 4; make it smaller, or allow more with "
          "EINLOOM_LIMITS=nesting=4");
    CHECK(refusal_of(R"(["[[[[", "\"[[["])").empty());  // brackets in strings
    CHECK(refusal_of(R"(["\)").find("expected JSON") != std::string::npos);
}

TEST_CASE("a file is not read beyond the limit of texts", "[lib][base][limits]") {
    test::Folder folder;
    auto const path = folder.write("g.json", std::string(100, ' '));
    LimitsSet const set("text=64");
    CHECK_THROWS_WITH(read_text_file(path),
                      path.string() +
                          ": expected a text of at most 64 B, found 100 B; make it smaller, or allow more "
                          "with EINLOOM_LIMITS=text=128");
    CHECK_THROWS_WITH(read_text_file("/dev/zero"),
                      Catch::StartsWith("/dev/zero: expected a text of at most 64 B, found more"));
}

TEST_CASE("keys that are repeated far inside are reported by the ends of their place", "[lib][base][limits]") {
    std::string const text = std::string(1000, '[') + R"({"a": 1, "a": 2})" + std::string(1000, ']');
    std::string const refusal = refusal_of(text);
    CHECK(refusal.find("/0/0/.../0/0") != std::string::npos);
    CHECK(refusal.size() < 400);
    std::string many = "{";
    for (int k = 0; k < 1000; ++k) many += (k > 0 ? "," : "") + std::string("\"a\": 1");
    std::string const of_many = refusal_of(many + "}");
    CHECK(std::count(of_many.begin(), of_many.end(), '\n') == 99);
}
