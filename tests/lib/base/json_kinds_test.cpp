#include "lib/base/json_kinds.hpp"

#include "lib/base/json.hpp"
#include "tests/support/catch.hpp"

using namespace ein;

namespace {

std::string mend(JsonKind wanted, char const* found, std::string const& otherwise = "") {
    return mend_kind(wanted, parse_json(found, "g.json"), otherwise);
}

}  // namespace

TEST_CASE("what stands in quotes or brackets is written without them", "[lib][base][json_kinds]") {
    CHECK(mend(JsonKind::integer, R"("4")") == "write 4, without quotes");
    CHECK(mend(JsonKind::integer, "[4]") == "write 4, without brackets");
    CHECK(mend(JsonKind::integer, R"("2.5")") == "write a whole number");
    CHECK(mend(JsonKind::integer, R"("4 rows")") == "write a whole number");
    CHECK(mend(JsonKind::number, R"("0.1")") == "write 0.1, without quotes");
    CHECK(mend(JsonKind::number, "null") == "write a number, or \"inf\", \"-inf\" or \"nan\"");
    CHECK(mend(JsonKind::string, R"(["A.npy"])") == "write \"A.npy\", without brackets");
}

TEST_CASE("what should stand in quotes or brackets is shown in them", "[lib][base][json_kinds]") {
    CHECK(mend(JsonKind::string, "2") == "write it in quotes: \"2\"");
    CHECK(mend(JsonKind::string, R"(["A", "B"])") == "write one of them alone, as \"A\"");
    CHECK(mend(JsonKind::string, R"({"normal": {}})") == "write a text in quotes in its place");
    CHECK(mend_kind(JsonKind::string, Json::parse("true"), "write \"normal\"") == "write \"normal\"");
    CHECK(mend(JsonKind::integer, R"(["n1", "n2"])") == "write how many they are: 2");
    CHECK(mend(JsonKind::list, R"("A")") == "write it in brackets: [\"A\"]");
    CHECK(mend(JsonKind::list, R"({"name": "B", "op": "relu"})") == R"(write it in brackets: [{"name": "B", ...}])");
}

TEST_CASE("truth values in other words are named", "[lib][base][json_kinds]") {
    for (auto const* text : {R"("true")", R"("True")", R"("yes")", "1"})
        CHECK(mend(JsonKind::boolean, text) == "write true");
    for (auto const* text : {R"("false")", R"("No")", "0"}) CHECK(mend(JsonKind::boolean, text) == "write false");
    CHECK(mend(JsonKind::boolean, "3") == "write true or false");
}

TEST_CASE("lists for objects and objects for lists are turned around", "[lib][base][json_kinds]") {
    CHECK(mend(JsonKind::object, R"([{"name": "A", "shape": [4]}])") == R"(write each under its name: {"A": {...}})");
    CHECK(mend(JsonKind::object, R"([{"name": "A"}, {"name": "B"}])") ==
          R"(write each under its name: {"A": {...}, ...})");
    CHECK(mend(JsonKind::object, R"([["k", 3]])") == R"(write {"k": 3})");
    CHECK(mend(JsonKind::list, R"({"B": {"op": "relu"}, "C": {}})") ==
          R"(write a list, each with its name in it: [{"name": "B", ...}, ...])");
    CHECK(mend(JsonKind::list, R"({"x": "A", "y": "B"})") == R"(write a list: ["A","B"])");
}

TEST_CASE("where what was found says nothing, an example does", "[lib][base][json_kinds]") {
    CHECK(mend(JsonKind::object, "[0.1]", "write {\"eta\": 0.1}") == "write {\"eta\": 0.1}");
    CHECK(mend(JsonKind::object, "[0.1]") == "write { ... }");
    CHECK(mend(JsonKind::list, "null") == "write [ ... ]");
    CHECK(mend(JsonKind::list, R"({"B": 1})") == "write [ ... ]");
    CHECK(mend(JsonKind::list, "{}") == "write [ ... ]");
    CHECK(mend(JsonKind::object, "[]") == "write { ... }");
}
