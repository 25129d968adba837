#include "lib/base/json.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "tests/support/catch.hpp"

using namespace ein;

namespace {

/// The faults of text that must be refused.
std::vector<Fault> faults_of(std::string_view text) {
    try {
        parse_json(text, "g.json");
    } catch (InputError const& error) {
        return error.faults();
    }
    return {};
}

/// A document and its cursor, for the typed readers.
struct Document {
    Json json;
    Faults faults{"g.json"};
    explicit Document(std::string_view text) : json(parse_json(text, "g.json")) {}
    Cursor root() { return {json, faults}; }
    std::string last_fault() const { return faults.list().empty() ? "" : faults.list().back().text(); }
};

}  // namespace

TEST_CASE("JSON that does not parse is reported by line and column", "[lib][base][json]") {
    struct Case {
        std::string_view text;
        char const* where;
    };
    for (auto const& [text, where] : {
             Case{"", "line 1, column 1"},
             Case{"{\"a\": 1,\n \"b\" 2}", "line 2, column 6"},
             Case{"{\n\n  \"a\": [1, 2,, 3]\n}", "line 3, column 14"},
             Case{"[1, 2", "line 1, column 6"},
             Case{"[1] x", "line 1, column 5"},
             Case{"{\"a\": nan}", "line 1, column 8"},
             Case{"{'a': 1}", "line 1, column 2"},
         }) {
        CAPTURE(text);
        auto const faults = faults_of(text);
        REQUIRE(faults.size() == 1);
        CHECK(faults[0].file == "g.json");
        CHECK(faults[0].where == where);
        CHECK(faults[0].expected == "JSON");
        CHECK_FALSE(faults[0].found.empty());
        CHECK_FALSE(faults[0].fix.empty());
    }
}

TEST_CASE("text that is not UTF-8 and numbers too large are refused", "[lib][base][json]") {
    CHECK(faults_of("[\"\xff\"]").size() == 1);
    CHECK(faults_of("[\"\xff\"]").at(0).text().find('\xff') == std::string::npos);
    auto const beyond = faults_of("[1,\n -1e999]");
    REQUIRE(beyond.size() == 1);
    CHECK(beyond[0].text() ==
          "g.json: line 2, column 2: expected a number of at most 1.797e308, found -1e999; write a smaller one");
    CHECK(faults_of("[\"\\ud800\"]").size() == 1);
}

TEST_CASE("what people write that is nearly JSON is told with its mend", "[lib][base][json]") {
    struct Row {
        std::string text, fault;
    };
    auto const row = GENERATE(values<Row>({
        {"{\"a\": [{},\n {},\n]}", "line 2, column 4: expected no comma before ']', found one; remove the comma"},
        {"{\"a\": 1,}", "line 1, column 8: expected no comma before '}', found one; remove the comma"},
        {"{ // note\n}",
         "line 1, column 3: expected JSON, which has no comments, found '/'; remove the comment, or write it as a key "
         "that begins with x-: \"x-note\": \"...\""},
        {"# note\n{}",
         "line 1, column 1: expected JSON, which has no comments, found '#'; remove the comment, or write it as a key "
         "that begins with x-: \"x-note\": \"...\""},
        {"{'a': 1}", "line 1, column 2: expected JSON, found a single quote; write double ones: \"name\" for 'name'"},
        {"{\"a\": True}", "line 1, column 7: expected JSON, found 'True'; write true"},
        {"{\"a\": [1, None]}", "line 1, column 11: expected JSON, found 'None'; write null"},
        {"{\"a\": nan}", "line 1, column 8: expected JSON, found 'nan'; write \"nan\""},
        {"{\"a\": -Infinity}", "line 1, column 8: expected JSON, found '-Infinity'; write \"-inf\""},
        {"{a: 1}", "line 1, column 2: expected keys in double quotes, found 'a'; write \"a\""},
    }));
    auto const faults = faults_of(row.text);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].text() == "g.json: " + row.fault);
    for (std::string const text : {"", "[", "{\"a\" 1}", "[,]", "]", "\"a", "[1 2]", "}", "/"})
        CHECK(faults_of(text).size() == 1);
}

TEST_CASE("a key that an object has twice is a fault, in any depth", "[lib][base][json]") {
    auto const faults = faults_of(R"({"a": 1, "b": {"c": 1, "c": 2}, "a": [1, {"d": 1}, {"d": 1, "d": 2}]})");
    REQUIRE(faults.size() == 3);
    CHECK(faults[0].where == "/b/c");
    CHECK(faults[1].where == "/a");
    CHECK(faults[2].where == "/a/2/d");
    CHECK(faults_of(R"({"a": {"a": {"a": 1}}})").empty());
}

TEST_CASE("nesting of any depth neither overflows the stack nor is refused", "[lib][base][json]") {
    std::size_t const depth = 200000;
    Json const document = parse_json(std::string(depth, '[') + std::string(depth, ']'), "deep.json");
    CHECK(document.is_array());
    CHECK(faults_of(std::string(depth, '[')).size() == 1);
}

TEST_CASE("the pointer grows as the cursor descends, escaped as RFC 6901 has it", "[lib][base][json]") {
    Document document(R"({"nodes": [{"agg": "summ"}], "a/b~c": 1})");
    CHECK(document.root().pointer().empty());
    document.root().at("nodes").at(0).at("agg").fail("sum or max", "'summ'", "write \"sum\"");
    CHECK(document.last_fault() == "g.json: /nodes/0/agg: expected sum or max, found 'summ'; write \"sum\"");
    CHECK(document.root().at("a/b~c").pointer() == "/a~1b~0c");
    CHECK(document.root().has("nodes"));
    CHECK_FALSE(document.root().has("edges"));
    CHECK_FALSE(document.root().at("nodes").has("agg"));  // a list has no keys
    CHECK(document.root().at("nodes").size() == 1);
}

TEST_CASE("typed readers give the value, or nothing and a fault at the place", "[lib][base][json]") {
    Document document(R"({"text": "x", "whole": 3, "float": 3.0, "half": 2.5, "huge": 18446744073709551615, "yes": true,
                          "inf": "inf", "minus": "-inf", "nan": "nan", "list": [1], "null": null,
                          "lowest": -9223372036854775808})");
    Cursor const root = document.root();
    CHECK(root.at("text").string() == "x");
    CHECK(root.at("whole").integer() == 3);
    CHECK(root.at("float").integer() == 3);
    CHECK(root.at("lowest").integer() == INT64_MIN);
    CHECK(root.at("half").number() == 2.5);
    CHECK(root.at("whole").number() == 3.0);
    CHECK(root.at("inf").number() == INFINITY);
    CHECK(root.at("minus").number() == -INFINITY);
    CHECK(std::isnan(root.at("nan").number().value()));
    CHECK(root.at("yes").boolean() == true);
    CHECK(root.at("list").expect_list());
    CHECK(root.expect_object());
    CHECK(document.faults.empty());

    CHECK_FALSE(root.at("whole").string());
    CHECK(document.last_fault() == "g.json: /whole: expected a string, found 3; write it in quotes: \"3\"");
    CHECK_FALSE(root.at("half").integer());
    CHECK(document.last_fault() == "g.json: /half: expected an integer, found 2.5; write a whole number");
    CHECK_FALSE(root.at("huge").integer());
    CHECK(document.last_fault() ==
          "g.json: /huge: expected an integer below 2^63, found 18446744073709551615; write a smaller one");
    CHECK_FALSE(root.at("text").number());
    CHECK_FALSE(root.at("yes").number());
    CHECK_FALSE(root.at("whole").boolean());
    CHECK_FALSE(root.at("list").expect_object());
    CHECK_FALSE(root.at("null").expect_list());
    CHECK(document.last_fault() == "g.json: /null: expected a list, found null; write [ ... ]");
    CHECK(document.faults.list().size() == 8);
}

TEST_CASE("unknown keys are faults with the nearest known one; x- keys are left alone", "[lib][base][json]") {
    Document document(R"({"nmae": 1, "name": 2, "x-note": 3, "completely-different": 4})");
    document.root().only_keys({"name", "shape"});
    REQUIRE(document.faults.list().size() == 2);
    CHECK(document.faults.list()[0].text() ==
          "g.json: /completely-different: expected name or shape, found the unknown key \"completely-different\"; "
          "remove it if it means nothing, or begin it with x-");
    CHECK(document.faults.list()[1].text() ==
          "g.json: /nmae: expected name or shape, found the unknown key \"nmae\"; did you mean \"name\"?");
}

TEST_CASE("the same word in another spelling is meant before another word, and what is absent before what is there",
          "[lib][base][json]") {
    auto const mend = [](std::string const& text) {
        Document document(text);
        document.root().only_keys({"eingraph", "name", "nodes", "outputs", "random_seed", "dtype"});
        REQUIRE(document.faults.list().size() == 1);
        return document.faults.list()[0].fix;
    };
    CHECK(mend(R"({"output": ["r"]})") == "did you mean \"outputs\"?");
    CHECK(mend(R"({"Outputs": ["r"]})") == "did you mean \"outputs\"?");
    CHECK(mend(R"({"node": []})") == "did you mean \"nodes\"?");
    CHECK(mend(R"({"randomSeed": 3})") == "did you mean \"random_seed\"?");
    CHECK(mend(R"({"output": ["r"], "outputs": ["r"]})") == "\"outputs\" is there already: remove one of them");
    CHECK(mend(R"({"results": ["r"]})") == "did you mean \"outputs\"?");
    CHECK(mend(R"({"out": "r", "nodes": []})") == "did you mean \"name\"?");  // as a node has it
    CHECK(mend(R"({"type": "f32"})") == "did you mean \"dtype\"?");
    CHECK(mend(R"({"ndes": [], "nodes": []})") == "did you mean \"nodes\"?");  // no other is near
}

TEST_CASE("values are shown briefly", "[lib][base][json]") {
    CHECK(describe(Json::parse("[1]")) == "a list");
    CHECK(describe(Json::parse("{}")) == "an object");
    CHECK(describe(Json::parse("1.5")) == "a number");
    CHECK(describe(Json::parse("null")) == "null");
    CHECK(describe(Json::parse("true")) == "a boolean");
    CHECK(describe(Json::parse("\"x\"")) == "a string");
    CHECK(brief(Json::parse("[1, 2]")) == "[1,2]");
    CHECK(brief(Json(std::vector<int>(100, 1))) == "a list of 100");
    CHECK(brief(Json(std::string(200, 'x'))).size() == 40);
}

TEST_CASE("files that cannot be read are reported by name", "[lib][base][json]") {
    CHECK_THROWS_WITH(read_text_file("/nowhere/g.json"),
                      Catch::Contains("/nowhere/g.json: expected a file that can be read, found none"));
    CHECK_THROWS_AS(read_text_file(std::filesystem::temp_directory_path()), InputError);
    auto const path = std::filesystem::temp_directory_path() / ("einloom_json_test_" + std::to_string(::getpid()));
    std::ofstream(path) << "{}\n";
    CHECK(read_text_file(path) == "{}\n");
    std::ofstream(path, std::ios::trunc).flush();
    CHECK(read_text_file(path).empty());
    std::filesystem::remove(path);
}
