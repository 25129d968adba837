// The public header, used as by a program without a launcher: one rank. Several ranks, in a job of their own, are those
// of examples/embed (tests/install/install_test.sh).
#include <unistd.h>
#include <cstring>
#include <filesystem>

#include "apps/library/einloom.hpp"
#include "tests/support/catch.hpp"

namespace {

using namespace einloom;

Graph product() {
    Graph graph("product", "f64");
    graph.input("A", {3, 4}).tensor("B", {4, 2}, R"({"fill": 2})").param("scale", 1);
    graph.einsum("C", "ij,jk->ik", {"A", "B"}, {.join = "scale * x * y"}).output("C");
    return graph;
}

/// A[i, j] = 10 i + j
void fill(Region const& region, std::span<std::byte> out) {
    std::size_t at = 0;
    for (std::int64_t i = 0; i < region.length[0]; ++i)
        for (std::int64_t j = 0; j < region.length[1]; ++j, at += sizeof(double)) {
            double const value = static_cast<double>(10 * (region.begin[0] + i) + region.begin[1] + j);
            std::memcpy(out.data() + at, &value, sizeof value);
        }
}

/// C of one run, 3 x 2.
std::vector<double> result(Ranks& ranks, Schedule const& schedule, RunOptions options) {
    std::vector<double> out(6, -1);
    options.output = [&](Block const& block) {
        CHECK(block.tensor == "C");
        CHECK(block.dtype == "f64");
        auto const values = block.as<double>();
        for (std::int64_t i = 0; i < block.region.length[0]; ++i)
            for (std::int64_t k = 0; k < block.region.length[1]; ++k)
                out[static_cast<std::size_t>((block.region.begin[0] + i) * 2 + block.region.begin[1] + k)] =
                    values[static_cast<std::size_t>(i * block.region.length[1] + k)];
    };
    if (!options.threads) options.threads = 1;
    run(ranks, schedule, options);
    return out;
}

/// Code and text of what `step` throws.
template <class Step>
std::string refusal(int code, Step&& step) {
    try {
        step();
    } catch (Error const& error) {
        CHECK(error.code() == code);
        return error.what();
    }
    return "nothing was thrown";
}

bool has(std::string const& text, std::string const& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a graph is planned and run on data of the program, as often as it likes") {
    Ranks ranks;
    REQUIRE(ranks.size() == 1);
    Schedule const schedule = plan(product(), {.ranks = 1});
    CHECK(schedule.ranks() == 1);
    CHECK(schedule.bytes_moved() == 0);
    CHECK(schedule.peak_bytes().at(0) >= static_cast<std::int64_t>((12 + 8 + 6) * sizeof(double)));
    CHECK(has(schedule.summary(), "flops"));
    CHECK_FALSE(has(schedule.summary(), "written"));
    // Rows of A sum up to 6, 46 and 86.
    CHECK(result(ranks, schedule, {.inputs = {{"A", fill}}}) == std::vector<double>{12, 12, 92, 92, 172, 172});
    CHECK(result(ranks, schedule, {.inputs = {{"A", fill}}, .params = {{"scale", 0.5}}}) ==
          std::vector<double>{6, 6, 46, 46, 86, 86});
}

TEST_CASE("a schedule is written, read and run again") {
    auto const file = std::filesystem::temp_directory_path() / ("einloom-" + std::to_string(::getpid()) + ".sched");
    plan(product(), {.ranks = 1}).write(file.string());
    Schedule const read = Schedule::read(file.string());
    std::filesystem::remove(file);
    Ranks ranks;
    CHECK(result(ranks, read, {.inputs = {{"A", fill}}}).at(5) == 172);
    CHECK(read.summary().empty());
}

TEST_CASE("a graph's text is taken as it is, and is what einplan reads") {
    Graph const again = Graph::from_json(product().json());
    CHECK(again.json() == product().json());
    Graph copy = again;
    copy.output("A");
    CHECK(copy.json() != again.json());
    CHECK(has(refusal(3, [] { Graph::from_json("{"); }), "graph: "));
    CHECK(has(refusal(3, [] { Graph("g").tensor("A", {2}, "fill 3"); }), "data of A"));
}

TEST_CASE("all faults of a graph are told at once") {
    Graph graph("g", "f64");
    graph.input("A", {3, 4}).input("B", {5, 2}).einsum("C", "ij,jk->ik", {"A", "B"});
    graph.einsum("D", "ij->i", {"Q"}).output("C");
    std::string const said = refusal(3, [&] { plan(graph, {.ranks = 2}); });
    CHECK(has(said, "g: /nodes/0"));
    CHECK(has(said, "g: /nodes/1"));
    CHECK(has(refusal(2, [] { plan(product(), {.ranks = 0}); }), "ranks: expected 1 or more, found 0"));
    CHECK(has(refusal(2, [] { plan(product(), {.decompose = "megaton"}); }), "did you mean \"megatron\"?"));
    CHECK(has(refusal(4, [] { plan(product(), {.memory = "8B"}); }), "memory"));
    CHECK(has(refusal(3, [] { Schedule::read("/nowhere.sched"); }), "/nowhere.sched"));
}

TEST_CASE("a run that cannot begin is refused with what it should be given") {
    Ranks ranks;
    Schedule const schedule = plan(product(), {.ranks = 1});
    auto const said = [&](RunOptions const& options, int code = 2) {
        return refusal(code, [&] { run(ranks, schedule, options); });
    };
    CHECK(has(said({.inputs = {{"AA", fill}}}), "found 'AA'; did you mean \"A\"?"));
    CHECK(has(said({.inputs = {{"A", nullptr}}}), "expected a function for 'A'"));
    CHECK(has(said({.inputs = {{"A", fill}}, .params = {{"eta", 1}}}), "params: expected those of the graph"));
    CHECK(has(said({.inputs = {{"A", fill}}, .device = "abacus"}), "abacus"));
    CHECK(has(said({.inputs = {{"A", fill}}, .memory = "much"}), "memory: expected a size"));
    CHECK(has(said({}, 3), "'A'"));
    CHECK(has(refusal(2,
                      [&] {
                          run(ranks, plan(product(), {.ranks = 2}), {.inputs = {{"A", fill}}});
                      }),
              "expected as many ranks as the schedule is for, 2, found 1"));
}
