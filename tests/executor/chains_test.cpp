// Which kernels run as chains, how they are cut, and that a run gives what single tasks give.
#include "executor/chains.hpp"

#include "lib/tensor/compare.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

Json graph_of(Json nodes, Json tensors, std::string const& output) {
    return {{"eingraph", 1}, {"dtype", "f32"}, {"tensors", tensors}, {"nodes", nodes}, {"outputs", {output}}};
}
Json uniform(Shape const& shape, int seed) {
    return {{"shape", shape}, {"data", {{"random", "uniform"}, {"low", -1}, {"seed", seed}}}};
}
Json node(std::string const& name, std::string const& einsum, std::vector<std::string> const& inputs,
          std::string const& join, std::string const& agg = "sum") {
    return {{"name", name}, {"einsum", einsum}, {"inputs", inputs}, {"join", join}, {"agg", agg}};
}

Json attention(Extent heads, Extent queries, Extent keys, Extent width) {
    return graph_of({node("S", "hqd,hkd->hqk", {"Q", "K"}, "x*y"),
                     node("T", "hqk->hqk", {"S"}, "where([q] >= [k], x/8, -inf)"),
                     {{"name", "P"}, {"op", "softmax"}, {"inputs", {"T"}}, {"axes", {2}}},
                     node("Z", "hqk,hkd->hqd", {"P", "V"}, "x*y")},
                    {{"Q", uniform({heads, queries, width}, 1)},
                     {"K", uniform({heads, keys, width}, 2)},
                     {"V", uniform({heads, keys, width}, 3)}},
                    "Z");
}

std::vector<Chain> chains_of(test::WholeRun const& run, ChainLimits const& limits) {
    auto profile = schedule::replay(run.schedule.sections[0]);
    return find_chains(run.schedule.header, run.schedule.sections[0], limits, profile);
}

std::string kinds_of(test::WholeRun const& run, Chain const& chain) {
    std::string text;
    for (TaskId id : chain.tasks) {
        schedule::Task const& task = run.schedule.sections[0].tasks[static_cast<std::size_t>(id.value())];
        text += (text.empty() ? "" : " ") + run.schedule.header.kernels[static_cast<std::size_t>(task.spec)].node;
    }
    return text;
}

void check_equal(test::WholeRun const& run, double allowed) {
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    for (auto const& [name, expected] : run.expected)
        CHECK(tensor::compare(run.results.at(name), expected, allowed).count == 0);
}

ChainLimits const small{4096, 0, 2};

}  // namespace

TEST_CASE("a softmax is one chain, cut along its rows", "[executor][chains]") {
    Json const json = graph_of({{{"name", "Z"}, {"op", "softmax"}, {"inputs", {"X"}}, {"axes", {1}}}},
                               {{"X", uniform({37, 64}, 1)}}, "Z");
    auto const run = test::whole_run(json, {.chains = small});
    auto const chains = chains_of(run, small);
    REQUIRE(chains.size() == 1);
    CHECK(chains[0].tasks.size() == 3);
    REQUIRE(chains[0].axes.size() == 1);
    CHECK(chains[0].axes[0].length == 37);
    CHECK(chains[0].pieces() == 5);  // of 37 x 64 x 8 bytes and two columns, 4 KiB each
    check_equal(run, 1e-5);
    CHECK(chains_of(run, {}).empty());  // so small a one is in the cache anyway
}

TEST_CASE("scores, mask, softmax and weighted sum are one chain, heads cut before queries", "[executor][chains]") {
    auto const run = test::whole_run(attention(3, 40, 24, 8), {.threads = 2, .chains = small});
    auto const chains = chains_of(run, small);
    REQUIRE(chains.size() == 1);
    CHECK(kinds_of(run, chains[0]).starts_with("S T "));
    CHECK(kinds_of(run, chains[0]).ends_with(" Z"));
    REQUIRE(chains[0].axes.size() == 2);
    CHECK(chains[0].axes[0].parts == 3);
    CHECK(chains[0].axes[1].parts > 1);
    check_equal(run, 1e-5);
}

TEST_CASE("a chain ends where something else reads what is inside", "[executor][chains]") {
    Json json = attention(2, 16, 16, 4);
    json["outputs"] = {"Z", "T"};
    auto const run = test::whole_run(json, {.chains = small});
    auto const chains = chains_of(run, small);
    REQUIRE(chains.size() == 2);
    CHECK(kinds_of(run, chains[0]) == "S T");
    CHECK(kinds_of(run, chains[1]).ends_with(" Z"));
    check_equal(run, 1e-5);
}

TEST_CASE("products of long sums stay single tasks", "[executor][chains]") {
    Json const json = graph_of({node("Y", "ij,jk->ik", {"A", "B"}, "x*y"), node("Z", "ik->ik", {"Y"}, "relu(x)")},
                               {{"A", uniform({32, 400}, 1)}, {"B", uniform({400, 32}, 2)}}, "Z");
    CHECK(chains_of(test::whole_run(json, {}), small).empty());
}

TEST_CASE("a chain holds its inputs only where the predicted peak has room", "[executor][chains]") {
    Json const json = graph_of(
        {node("A", "ij->ij", {"X"}, "x+1"), node("B", "ij->ij", {"A"}, "x*2"), node("C", "ij->ij", {"B"}, "x-3")},
        {{"X", uniform({64, 64}, 1)}}, "C");
    auto const run = test::whole_run(json, {.chains = small});
    auto const& section = run.schedule.sections[0];
    auto profile = schedule::replay(section);
    constexpr std::int64_t bytes = 64 * 64 * 4;
    CHECK(profile.peak == 2 * bytes);
    auto const before = profile.live;
    auto const chains = find_chains(run.schedule.header, section, small, profile);
    REQUIRE(chains.size() == 1);
    CHECK(chains[0].tasks.size() == 3);
    std::int32_t const first = chains[0].tasks.front().value();
    for (std::int32_t at = first; at < first + 3; ++at)  // X all the time; A and B never
        CHECK(profile.live[static_cast<std::size_t>(at)] == (at == first + 2 ? 2 : 1) * bytes);
    profile = schedule::replay(section);
    profile.peak = 2 * bytes - 1;
    CHECK(find_chains(run.schedule.header, section, small, profile).empty());
    CHECK(profile.live == before);
    CHECK(run.ranks[0].blocks.peak_bytes() == 2 * bytes);
    check_equal(run, 1e-6);
}

TEST_CASE("a chain holds its inputs also where others read them last", "[executor][chains]") {
    Json json = graph_of(
        {node("E", "ij->ij", {"X"}, "exp(x)"), node("Z", "ij->i", {"E"}, "x"), node("R", "ij->j", {"X"}, "x", "max")},
        {{"X", uniform({64, 64}, 1)}}, "Z");
    json["outputs"].push_back("R");
    auto const run = test::whole_run(json, {.chains = small});
    schedule::Section section = run.schedule.sections[0];
    auto const place = [&](std::string const& name) {
        return std::find_if(section.tasks.begin(), section.tasks.end(), [&](schedule::Task const& task) {
            return task.kind == schedule::TaskKind::apply &&
                   run.schedule.header.kernels[static_cast<std::size_t>(task.spec)].node == name;
        });
    };
    if (place("R") < place("E")) std::iter_swap(place("R"), place("E"));
    if (place("Z") < place("R")) std::iter_swap(place("Z"), place("R"));
    REQUIRE(place("E") < place("R"));  // any order of the three that makes E before Z is one of the schedule's
    REQUIRE(place("R") < place("Z"));
    auto profile = schedule::replay(section);
    auto const before = profile.live;
    REQUIRE(find_chains(run.schedule.header, section, small, profile).size() == 1);
    constexpr std::int64_t bytes = 64 * 64 * 4;
    auto const z = static_cast<std::size_t>(place("Z") - section.tasks.begin());
    CHECK(profile.live[z] == before[z]);  // X in E's place
    CHECK(before[z] == bytes + 2 * 64 * 4);
    check_equal(run, 1e-5);
}

TEST_CASE("many pieces: each of a run brings the next one's operands", "[executor][chains]") {
    Json const json =
        graph_of({{{"name", "Z"}, {"op", "layer_norm"}, {"inputs", {"X"}}}}, {{"X", uniform({301, 64}, 1)}}, "Z");
    int const threads = GENERATE(1, 3);
    auto const run = test::whole_run(json, {.threads = threads, .chains = small});
    REQUIRE(chains_of(run, small).size() == 1);
    CHECK(chains_of(run, small)[0].pieces() > 8 * threads);
    check_equal(run, 1e-5);
}

TEST_CASE("chains give the same bits for any number of threads", "[executor][chains]") {
    Json const json = attention(2, 70, 50, 8);
    auto const one = test::whole_run(json, {.threads = 1, .chains = small}),
               three = test::whole_run(json, {.threads = 3, .chains = small});
    auto const a = one.results.at("Z").bytes(), b = three.results.at("Z").bytes();
    CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}
