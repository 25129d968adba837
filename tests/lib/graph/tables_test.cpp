// Walks the tables that graph files are read by: what each row names is documented in docs/graph-format.md and known to
// the schema. A row that is missing there fails by its name.
#include <set>

#include "lib/graph/ops/op_reader.hpp"
#include "lib/graph/read/einsum/named_agg.hpp"
#include "lib/graph/read/read_tensors.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/parse/spellings.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

namespace {

using Names = std::set<std::string>;

std::string const& document() {
    static std::string const text = graph_format();
    return text;
}

/// From a heading to the next one of its rank or a higher one.
std::string section(std::string const& heading) {
    std::size_t const begin = document().find("\n" + heading + "\n");
    REQUIRE(begin != std::string::npos);
    std::string const rank = heading.substr(0, heading.find(' '));
    std::size_t end = document().size();
    for (std::string next = rank; !next.empty(); next.pop_back())
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

namespace {

/// A text as it stands in a table.
std::string cell(std::string_view text) {
    std::string out;
    for (char const c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return "`" + out + "`";
}

/// A row of a table of "# Spellings" has both.
void check_spelled(std::string const& heading, std::string_view written, std::string_view means) {
    std::string const row = "| " + cell(written) + " | " + cell(means) + " |";
    CAPTURE(heading, row);
    CHECK(section(heading).find(row) != std::string::npos);
}

std::size_t rows_of(std::string const& heading) {
    std::string const text = section(heading);
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("\n| `", at)) != std::string::npos; ++at) ++count;
    return count;
}

/// The ops that an entry of the schema is of.
Names ops_of(Json const& op) {
    return op.contains("const") ? Names{op.at("const").get<std::string>()} : names_in(op.at("enum"));
}

}  // namespace

TEST_CASE("every taken spelling is documented with what it means, and nothing else is", "[lib][graph][tables]") {
    std::pair<std::string, std::span<scalar::Taken const>> const tables[]{
        {"## Spelled operators", scalar::taken_operators()},
        {"## Spelled functions", scalar::taken_functions()},
        {"## Spelled numbers", scalar::taken_constants()},
        {"## Spelled aggregations", taken_aggs()},
        {"## Spelled ops", taken_ops()},
        {"## Spelled attributes", taken_attributes()}};
    for (auto const& [heading, rows] : tables) {
        for (scalar::Taken const& row : rows) check_spelled(heading, row.written, row.means);
        CHECK(rows_of(heading) == rows.size());
    }
    for (DTypeName const& row : taken_dtype_names()) check_spelled("## Spelled dtypes", row.written, name(row.type));
    CHECK(rows_of("## Spelled dtypes") == taken_dtype_names().size());
}

TEST_CASE("what could mean two things is documented with both", "[lib][graph][tables]") {
    std::string const text = section("## Two meanings");
    Names written;
    for (auto const& rows : {scalar::ambiguous_spellings(), ambiguous_ops()})
        for (scalar::TwoMeanings const& row : rows) written.emplace(row.written);
    for (AmbiguousDType const& row : ambiguous_dtype_names()) written.emplace(row.written);
    for (std::string const& each : written) {
        CAPTURE(each);
        CHECK(text.find("| `" + each + "` |") != std::string::npos);
    }
    CHECK(rows_of("## Two meanings") == written.size());
}

TEST_CASE("every function and operator of joins is documented", "[lib][graph][tables]") {
    std::string const join = section("## Join");
    Names functions;
    for (std::string const& name : scalar::function_names())
        if (!name.starts_with("cast_")) functions.insert(name);
    missing(functions, quoted_words(join), "docs/graph-format/einsum.md, Join");
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
    missing(every, quoted_words(section("## Agg")), "docs/graph-format/einsum.md, Agg");
    Names spelled = every;
    for (scalar::Taken const& row : taken_aggs()) spelled.emplace(row.written);
    CHECK(names_in(schema().at("einsum").at("properties").at("agg").at("enum")) == spelled);
    CHECK(names_in(schema().at("kernel").at("oneOf").at(1).at("properties").at("agg").at("enum")) == kernels);
    for (std::string const& name : spelled) {
        CAPTURE(name);
        CHECK(node_faults(R"j("einsum": "ij->i", "inputs": ["A"], "agg": ")j" + name + "\"").empty());
    }
}

TEST_CASE("every op is documented, and in the schema with its attributes under each of its names",
          "[lib][graph][tables]") {
    std::string const ops = section("# Ops"),
                      document_words = ops + section("## Join") + section("## Agg") + section("# Spellings");
    std::map<std::string, Json> known;
    for (Json const& each : schema().at("node").at("then").at("oneOf"))
        for (std::string const& name : ops_of(each.at("properties").at("op"))) known[name] = each.at("properties");
    Names names;
    for (OpEntry const& row : op_table()) names.emplace(row.name);
    for (auto const& rows : {taken_ops(), taken_aggs()})
        for (scalar::Taken const& row : rows) names.emplace(row.written);
    for (std::string const& name : names) {
        CAPTURE(name);
        CHECK(quoted_words(document_words).count(name) == 1);
        OpEntry const& row = *op_row(name);
        bool const own = row.read != read_elementwise && row.read != read_aggregation;
        CHECK((!own || row.name != name || ops.find("\"op\": \"" + name + "\"") != std::string::npos));
        REQUIRE(known.count(name) == 1);
        Names keys{"name", "op", "inputs", "sparse"}, in_schema;
        for (std::string_view const attribute : row.attributes) keys.emplace(attribute);
        for (scalar::Taken const& attribute : taken_attributes())
            if (keys.count(std::string(attribute.means)) > 0) keys.emplace(attribute.written);
        for (auto const& [key, unused] : known[name].items()) in_schema.insert(key);
        CHECK(in_schema == keys);
    }
    CHECK(known.size() == names.size());
}

TEST_CASE("every dtype is documented, in the schema, and reads by all of its names", "[lib][graph][tables]") {
    Names const words = quoted_words(section("## dtypes")),
                in_schema = names_in(schema().at("dtype").at("anyOf").at(0).at("enum"));
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
