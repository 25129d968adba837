#include "apps/explain/print.hpp"

#include <set>

#include "apps/explain/columns.hpp"
#include "apps/explain/page/picture.hpp"
#include "tests/apps/explain/explained.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::apps::explain;

namespace {

/// Names that would break a page or a column.
graph::EinGraph rude() {
    test::GraphBuilder g;
    std::string const name = "</script><!-- @PICTURE@ @EXPLANATION@ \"quoted\" \xc3\xa4 " + std::string(150, 'n');
    g.leaf(name, {8, 8});
    g.einsum("Z" + name, "ij->i", {name});
    return g.finish({"Z" + name});
}

/// The names of elements that are open at the end, or closed without being open; scripts and styles are skipped.
std::vector<std::string> unbalanced(std::string const& page) {
    std::set<std::string> const never_closed{"meta", "input", "br", "!doctype"};
    std::vector<std::string> open;
    for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at)) {
        std::size_t const end = page.find('>', at);
        REQUIRE(end != std::string::npos);
        bool const closes = page[at + 1] == '/';
        std::string name;
        for (std::size_t k = at + (closes ? 2 : 1); k < end && (std::isalnum(page[k]) || page[k] == '!'); ++k)
            name += static_cast<char>(std::tolower(page[k]));
        at = end;
        if (closes) {
            if (open.empty() || open.back() != name) return {"/" + name};
            open.pop_back();
        } else if (!never_closed.contains(name)) {
            open.push_back(name);
            if (name == "script" || name == "style") at = page.find("</" + name, end);
        }
    }
    return open;
}

std::string between(std::string const& text, std::string const& from, std::string const& to) {
    std::size_t const begin = text.find(from) + from.size();
    return text.substr(begin, text.find(to, begin) - begin);
}

}  // namespace

TEST_CASE("JSON has the fields of the public interface", "[apps][explain][json]") {
    int const ranks = GENERATE(1, 4, 7);
    for (auto const& file : test::example_files()) {
        CAPTURE(file, ranks);
        graph::EinGraph const graph = test::graph_of(file);
        Json const e = to_json(test::explained(graph, ranks));
        CHECK(e.at("ranks") == test::ranks_for(graph, ranks));
        CHECK(e.at("strategy").is_string());
        CHECK(e.at("place").is_string());
        CHECK(e.at("tasks").is_number_integer());
        CHECK(e.at("flops").is_number());
        for (auto const* part : {"join", "agg", "repart", "total"}) CHECK(e.at("cost").at(part).is_number());
        for (auto const* part : {"total", "rank_max"}) CHECK(e.at("bytes").at(part).is_number_integer());
        CHECK(e.at("words_rank_max").is_number());
        CHECK(e.at("peak_bytes").size() == static_cast<std::size_t>(test::ranks_for(graph, ranks)));
        CHECK(e.at("spill") == Json{{"blocks", 0}, {"bytes", 0}, {"fetched_bytes", 0}});
        for (Json const& node : e.at("nodes")) {
            CHECK(node.at("name").is_string());
            CHECK(node.at("labels").is_object());
            CHECK(node.at("parts").size() == node.at("labels").size());
            CHECK(node.at("candidates").get<std::int64_t>() >= 1);
            for (auto const* part : {"join", "agg", "repart"}) {
                CHECK(node.at("cost").at(part).is_number());
                CHECK(node.at("bytes").at(part).is_number_integer());
            }
            CHECK((node.at("lower_bound_words").is_null() || node.at("lower_bound_words").is_number()));
            CHECK(node.at("sharding").is_object());
            CHECK(node.at("collectives").is_array());
        }
    }
}

TEST_CASE("whole numbers are written as such", "[apps][explain][json]") {
    test::GraphBuilder g;
    g.leaf("A", {1024, 1024}, DType::f32);
    g.leaf("B", {1024, 1024}, DType::f32);
    g.einsum("C", "ij,jk->ik", {"A", "B"}, {.dtype = DType::f32});
    graph::EinGraph const graph = g.finish({"C"});
    Json const e = to_json(test::explained(graph, planner::plan(graph, {.ranks = 8}), {.place = "pattern"}));
    CHECK(e.at("cost").at("total").dump() == "5242880");
    CHECK(e.at("nodes")[0].at("sharding").at("A") == "i/a j/c");
    CHECK(e.at("nodes")[0].at("collectives")[2].at("kind") == "reduce-scatter");
}

TEST_CASE("a reproducible plan says so", "[apps][explain]") {
    bool const reproducible = GENERATE(false, true);
    graph::EinGraph graph = test::graph_of(test::example_files().front());
    Explanation e = test::explained(graph, 2);
    CHECK_FALSE(e.reproducible);
    e.reproducible = reproducible;
    CHECK(to_json(e).at("reproducible") == reproducible);
    CHECK((to_text(e).find("reproducible: the same bits") != std::string::npos) == reproducible);
}

TEST_CASE("an alternative that costs less as published is explained", "[apps][explain]") {
    double const more = GENERATE(-8.0, 8.0);
    graph::EinGraph const graph = test::graph_of(test::example_files().front());
    Explanation e = test::explained(graph, 2);
    for (NodeReport& report : e.nodes) report.rejected.clear();
    NodeReport& report = e.nodes.front();
    report.rejected.push_back({report.cut, 1, 8, more, more});
    CHECK((to_text(e).find("less as published") != std::string::npos) == (more < 0));
}

TEST_CASE("text keeps within 100 columns", "[apps][explain][text]") {
    int const ranks = GENERATE(1, 4, 7, 16);
    std::vector<graph::EinGraph> graphs{rude()};
    for (auto const& file : test::example_files()) graphs.push_back(test::graph_of(file));
    for (graph::EinGraph const& graph : graphs)
        for (std::string const& line : test::lines_of(to_text(test::explained(graph, ranks)))) {
            CAPTURE(line, ranks);
            CHECK(width(line) <= 100);
        }
}

TEST_CASE("a graph without nodes is reported too", "[apps][explain][text]") {
    test::GraphBuilder g;
    g.leaf("A", {3});
    Explanation const e = test::explained(g.finish({"A"}), 2);
    CHECK(to_text(e).find("no node") != std::string::npos);
    CHECK(to_json(e).at("nodes") == Json::array());
    CHECK(unbalanced(to_html(e)).empty());
}

TEST_CASE("the text of the README's first graph is as it was", "[apps][explain][text]") {
    std::string const golden = std::string(GOLDEN) + "/first.txt";
    graph::EinGraph const graph = test::graph_of(std::string(GOLDEN) + "/first.json");
    CHECK(to_text(test::explained(graph, 4)) == read_text_file(golden));
}

TEST_CASE("the page is balanced, needs nothing else, and holds its data whatever names there are",
          "[apps][explain][html]") {
    Explanation const e = test::explained(rude(), 3);
    std::string const page = to_html(e);
    CHECK(unbalanced(page).empty());
    CHECK(parse_json(between(page, "id=\"explanation\">", "</script>"), "page") == to_json(e));
    CHECK(parse_json(between(page, "id=\"picture\">", "</script>"), "page") == to_json(picture_of(e.nodes)));
}

TEST_CASE("the page asks for no file and no network", "[apps][explain][html]") {
    std::string const page = to_html(Explanation{});
    CHECK(page.find("<script>") != std::string::npos);
    std::string const outside = GENERATE(
        values<std::string>({"http:", "https:", "src=", "href", "url(", "@import", "@include", "import(", "fetch(",
                             "XMLHttpRequest", "WebSocket", "sendBeacon", "<link", "<iframe", "<img"}));
    CAPTURE(outside);
    CHECK(page.find(outside) == std::string::npos);
}
