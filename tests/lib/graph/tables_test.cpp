// Walks the tables that graph files are read by: what each row names is documented in docs/graph-format.md and known to
// the schema. A row that is missing there fails by its name.
#include <set>

#include "lib/graph/ops/op_reader.hpp"
#include "lib/graph/read/einsum/named_agg.hpp"
#include "lib/graph/read/read_tensors.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

namespace {

using Names = std::set<std::string>;

std::string const& document() {
    static std::string const text = read_text_file(EIN_DOCS "/graph-format.md");
    return text;
}

/// From a heading to the next one of its rank or a higher one.
std::string section(std::string const& heading) {
    std::size_t const begin = document().find("\n" + heading + "\n");
    REQUIRE(begin != std::string::npos);
    std::string const rank = heading.substr(0, heading.find(' '));
    std::size_t end = document().size();
    for (std::string next = rank; next.size() > 1; next.pop_back())
        end = std::min(end, document().find("\n" + next + " ", begin + heading.size()));
    return document().substr(begin, end - begin);
}

/// The words inside backticks, cut at what is no letter, digit or underscore.
Names quoted_words(std::string const& text) {
    Names words;
    bool inside = false;
    std::string word;
    for (char const c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
            word += c;
            continue;
        }
        if (inside && !word.empty()) words.insert(word);
        word.clear();
        if (c == '`') inside = !inside;
        if (c == '\n') inside = false;
    }
    return words;
}

Json const& schema() {
    static Json const read = Json::parse(read_text_file(EIN_DOCS "/schema/eingraph.schema.json"));
    return read.at("$defs");
}

Names names_in(Json const& list) { return list.get<Names>(); }
Names set_of(std::vector<std::string> const& list) { return {list.begin(), list.end()}; }

void missing(Names const& rows, Names const& there, std::string const& column) {
    for (std::string const& name : rows) {
        CAPTURE(name, column);
        CHECK(there.count(name) == 1);
    }
}

}  // namespace

TEST_CASE("every function and operator of joins is documented", "[lib][graph][tables]") {
    std::string const join = section("### Join");
    Names functions;
    for (std::string const& name : scalar::function_names())
        if (!name.starts_with("cast_")) functions.insert(name);
    missing(functions, quoted_words(join), "docs/graph-format.md, Join");
    for (int k = 0; k < scalar::op_count; ++k) {
        scalar::Operation const& row = scalar::info(static_cast<scalar::Op>(k));
        if (row.spelling != scalar::Spelling::infix && row.spelling != scalar::Spelling::prefix) continue;
        CAPTURE(row.name);
        std::string const escaped = row.name == "||" ? "\\|\\|" : std::string(row.name);
        CHECK((join.find("`" + escaped + "`") != std::string::npos || join.find(" " + escaped) != std::string::npos));
    }
}

TEST_CASE("every aggregation is documented, in the schema, and reads", "[lib][graph][tables]") {
    Names const every = set_of(named_agg_names()), kernels = set_of(scalar::agg_names());
    missing(every, quoted_words(section("### Agg")), "docs/graph-format.md, Agg");
    CHECK(names_in(schema().at("einsum").at("properties").at("agg").at("enum")) == every);
    CHECK(names_in(schema().at("kernel").at("oneOf").at(1).at("properties").at("agg").at("enum")) == kernels);
    for (std::string const& name : every) {
        CAPTURE(name);
        CHECK(node_faults(R"j("einsum": "ij->i", "inputs": ["A"], "agg": ")j" + name + "\"").empty());
    }
}

TEST_CASE("every op is documented with an example, and in the schema with its attributes", "[lib][graph][tables]") {
    std::string const ops = section("## Ops");
    std::map<std::string, Json> known;
    for (Json const& each : schema().at("node").at("then").at("oneOf"))
        known[each.at("properties").at("op").at("const").get<std::string>()] = each.at("properties");
    for (OpEntry const& row : op_table()) {
        std::string const name(row.name);
        CAPTURE(name);
        CHECK(quoted_words(ops).count(name) == 1);
        CHECK(ops.find("\"op\": \"" + name + "\"") != std::string::npos);
        REQUIRE(known.count(name) == 1);
        Names keys{"name", "op", "inputs"}, in_schema;
        for (std::string_view const attribute : row.attributes) keys.emplace(attribute);
        for (auto const& [key, unused] : known[name].items()) in_schema.insert(key);
        CHECK(in_schema == keys);
    }
    CHECK(known.size() == op_table().size());
}

TEST_CASE("every dtype is documented, in the schema, and reads by all of its names", "[lib][graph][tables]") {
    Names const words = quoted_words(section("## dtypes")), in_schema = names_in(schema().at("dtype").at("enum"));
    for (int k = 0; k < dtype_count; ++k) {
        std::string const dtype(name(static_cast<DType>(k)));
        missing({dtype}, words, "docs/graph-format.md, dtypes");
        missing({dtype}, in_schema, "schema");
        CAPTURE(dtype);
        CHECK(dtype_from_name(dtype) == static_cast<DType>(k));
    }
    for (std::string const& spelling : in_schema) {
        CAPTURE(spelling);
        CHECK(dtype_from_name(spelling).has_value());
    }
}

TEST_CASE("every kind of data is documented and in the schema", "[lib][graph][tables]") {
    Names const kinds = set_of(data_kinds());
    Names in_schema;
    for (Json const& each : schema().at("data").at("oneOf"))
        for (Json const& key : each.at("required")) in_schema.insert(key.get<std::string>());
    missing(kinds, quoted_words(section("## Tensors")), "docs/graph-format.md, Tensors");
    missing(kinds, in_schema, "schema");
}
