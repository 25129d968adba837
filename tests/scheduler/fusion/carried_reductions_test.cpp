// Fused groups that run over pieces of rows: which can, and that a run gives what the interpreter says.
#include "executor/fusion/carried_steps.hpp"
#include "executor/fusion/mask_steps.hpp"
#include "lib/schedule/verify/verify.hpp"
#include "lib/tensor/compare.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;
using scheduler::FusionLimits;

namespace {

FusionLimits const whole_rows{.bytes_of_a_piece = 4096, .least_bytes = 0, .least_rows = 2};
FusionLimits const pieces_of_rows{.bytes_of_a_piece = 4096,
                                  .least_bytes = 0,
                                  .least_rows = 2,
                                  .bytes_of_a_row_piece = 1000,
                                  .bytes_of_a_carried_piece = 800,
                                  .least_carried = 16};

Json uniform(Shape const& shape, int seed) {
    return {{"shape", shape}, {"data", {{"random", "uniform"}, {"low", -1}, {"seed", seed}}}};
}
Json node(std::string const& name, std::string const& einsum, std::vector<std::string> const& inputs,
          std::string const& join = "x", std::string const& agg = "sum") {
    return {{"name", name}, {"einsum", einsum}, {"inputs", inputs}, {"join", join}, {"agg", agg}};
}
Json graph_of(Json nodes, Json tensors, std::string const& output, std::string const& dtype = "f32") {
    return {{"eingraph", 1}, {"dtype", dtype}, {"tensors", tensors}, {"nodes", nodes}, {"outputs", {output}}};
}

/// Two heads, 40 queries, `keys` keys of width 8.
Json attention(std::string const& mask, Extent keys = 130, std::string const& dtype = "f32",
               std::string const& values = "x") {
    std::string const scaled = "x/3";
    return graph_of({node("S", "hqd,hkd->hqk", {"Q", "K"}, "x*y"),
                     node("T", "hqk->hqk", {"S"}, mask.empty() ? scaled : "where(" + mask + ", x/3, -inf)"),
                     {{"name", "P"}, {"op", "softmax"}, {"inputs", {"T"}}, {"axes", {2}}},
                     node("W", "hkd->hkd", {"V"}, values),
                     node("Z", "hqk,hkd->hqd", {"P", "W"}, "x*y")},
                    {{"Q", uniform({2, 40, 8}, 1)}, {"K", uniform({2, keys, 8}, 2)}, {"V", uniform({2, keys, 8}, 3)}},
                    "Z", dtype);
}

/// Y[i, j] = X W, then the nodes, over rows of 130 elements.
Json over_rows(Json nodes, std::string const& output) {
    nodes.insert(nodes.begin(), node("Y", "id,jd->ij", {"X", "W"}, "x*y"));
    return graph_of(nodes, {{"X", uniform({40, 4}, 1)}, {"W", uniform({130, 4}, 2)}}, output);
}

/// Pieces of rows of the groups of a rank; 0: rows are whole.
std::int64_t carried_parts(test::WholeRun const& run) {
    std::int64_t parts = 0;
    for (schedule::FusionSpec const& fusion : run.schedule.header.fusions)
        for (schedule::FusionSpec::Axis const& axis : fusion.axes)
            if (axis.is_carried) parts = std::max(parts, axis.parts);
    return parts;
}

test::WholeRun checked(Json const& json, test::WholeRunSetup setup, double allowed = 1e-5) {
    setup.fused_groups = pieces_of_rows;
    test::WholeRun run = test::whole_run(json, setup);
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    for (auto const& [name, expected] : run.expected)
        CHECK(tensor::compare(run.results.at(name), expected, allowed).count == 0);
    for (std::string const& fault : schedule::faults_of(run.schedule)) FAIL_CHECK(fault);
    return run;
}

}  // namespace

TEST_CASE("rows of attention that do not fit are cut in pieces, under every mask", "[scheduler][carried]") {
    std::string const mask = GENERATE("", "[q] >= [k]", "[q] + 20 >= [k] and [q] < [k] + 16", "[q] != [k]",
                                      "[k] >= 100", "[q] % 3 == 0", "[k] % 2 == [q] % 2", "[q] < 10 or [k] > 110");
    std::string const dtype = GENERATE("f32", "f64", "bf16", "f16");
    int const ranks = GENERATE(1, 2, 3, 5);
    CAPTURE(mask, dtype, ranks);
    auto const run = checked(attention(mask, 130, dtype), {.ranks = ranks, .threads = 2},
                             dtype == "bf16"  ? 3e-2
                             : dtype == "f16" ? 4e-3
                                              : 1e-5);
    if (ranks == 1 && dtype != "bf16" && dtype != "f16") CHECK(carried_parts(run) > 1);
}

TEST_CASE("scores, maximum, sum and product are carried, and quotients wait", "[scheduler][carried]") {
    auto const run = checked(attention("[q] >= [k]"), {});
    schedule::Section const& section = run.schedule.sections[Rank{0}];
    std::vector<executor::FusedGroup> groups;
    for (TaskId id : section.tasks.ids())
        if (section.tasks[id].is<schedule::Fused>())
            groups.push_back(executor::fused_group(run.schedule.header, section, id));
    REQUIRE(groups.size() == 1);
    REQUIRE(groups[0].carry);
    auto steps = executor::fusion_plan(run.schedule.header, groups[0]);
    executor::split_masks(steps);
    auto const carried = executor::carried_steps(*groups[0].carry, steps);
    std::string text;
    for (executor::CarriedStep const& step : carried)
        text += !step.is_carried ? "p" : step.shift ? step.scales.empty() ? "s" : "z" : "m";
    CHECK(text == "pppmpsz");  // scores, scaled, masked, maximum, exp, sum, product
}

TEST_CASE("what one piece alone has, and rows of which nothing is left, are as without pieces",
          "[scheduler][carried]") {
    checked(attention("[q] > 20"), {});        // nan in the first rows, and nowhere else
    checked(attention("[k] == 77", 130), {});  // one key
    checked(attention("[q] >= [k]", 130, "f32", "where([k] == 30, inf, x)"), {});  // 0*inf is nan
    checked(attention("[k] < 64", 130, "f32", "where([k] == 99, nan, x)"), {});
}

TEST_CASE("reductions are carried by their aggregations", "[scheduler][carried]") {
    std::string const agg = GENERATE("sum", "max", "min", "prod");
    CAPTURE(agg);
    auto const run = checked(
        over_rows({node("M", "ij->i", {"Y"}, agg == "prod" ? "1 + x/50" : "x", agg), node("Z", "i->i", {"M"}, "2*x")},
                  "Z"),
        {.threads = 2});
    CHECK(carried_parts(run) > 1);
}

TEST_CASE("sums of what a maximum or minimum shifts are carried", "[scheduler][carried]") {
    Json const nodes =
        GENERATE(Json{node("M", "ij->i", {"Y"}, "x", "max"), node("S", "ij,i->i", {"Y", "M"}, "exp(x - y)"),
                      node("Z", "i,i->i", {"M", "S"}, "x + log(y)")},
                 Json{node("M", "ij->i", {"Y"}, "x", "min"), node("S", "ij,i->i", {"Y", "M"}, "exp(y - x)"),
                      node("Z", "i,i->i", {"M", "S"}, "x - log(y)")},
                 Json{node("M", "ij->i", {"Y"}, "3*x", "max"), node("Z", "ij,i->i", {"Y", "M"}, "exp(3*x - y)*[j]")},
                 Json{node("M", "ij->i", {"Y"}, "x", "max"), node("S", "ij,i->i", {"Y", "M"}, "exp(x - y)"),
                      node("E", "ij,i,i->ij", {"Y", "M", "S"}, "where([j] % 3 == 0, exp(x - y)/z, 0)"),
                      node("Z", "ij,ij->i", {"E", "Y"}, "x*y")});
    CHECK(carried_parts(checked(over_rows(nodes, "Z"), {.threads = 2}, 3e-5)) > 1);
}

TEST_CASE("sums that are scaled by what is reduced wait for it", "[scheduler][carried]") {
    auto const run =
        checked(over_rows({node("S", "ij->i", {"Y"}, "x*x"), node("R", "i->i", {"S"}, "sqrt(x/130 + 1)"),
                           node("N", "ij,i->ij", {"Y", "R"}, "x/y"), node("Z", "ij,ij->i", {"N", "Y"}, "-x*y")},
                          "Z"),
                {});
    CHECK(carried_parts(run) > 1);
}

TEST_CASE("what depends otherwise on what is reduced keeps rows whole", "[scheduler][carried]") {
    Json const nodes =
        GENERATE(Json{node("M", "ij->i", {"Y"}, "x/130"), node("Z", "ij,i->i", {"Y", "M"}, "(x - y)^2")},
                 Json{node("M", "ij->i", {"Y"}, "x", "max"), node("Z", "ij,i->i", {"Y", "M"}, "exp(2*x - y)")},
                 Json{node("M", "ij->i", {"Y"}, "x"), node("Z", "ij,i->i", {"Y", "M"}, "exp(x - y)")},
                 Json{node("M", "ij->i", {"Y"}, "x", "max"), node("Z", "ij,i->i", {"Y", "M"}, "exp(x - y)", "max")},
                 Json{node("M", "ij->i", {"Y"}, "x", "max"), node("Z", "ij,i->i", {"Y", "M"}, "(x - y)*exp(x - y)")},
                 Json{node("M", "ij->i", {"Y"}, "x", "max"), node("Z", "ij,i->ij", {"Y", "M"}, "exp(x - y)")},
                 Json{node("Z", "ij->i", {"Y"}, "x", "logsumexp")});
    CHECK(carried_parts(checked(over_rows(nodes, "Z"), {}, 1e-4)) == 0);
}

TEST_CASE("carried reductions give the same bits for any number of threads", "[scheduler][carried]") {
    auto const one = checked(attention("[q] >= [k]"), {.threads = 1}),
               three = checked(attention("[q] >= [k]"), {.threads = 3});
    CHECK(test::same_bits(one.results.at("Z"), three.results.at("Z")));
}

TEST_CASE("calls of pieces of rows are computed again", "[scheduler][carried]") {
    auto const run = checked(attention("[q] >= [k]"), {.check_calls = {.wanted = true, .elements = 5}});
    auto const calls = test::checked_calls(run);
    CHECK(calls.differ == 0);
    CHECK(calls.covers_all());
}

TEST_CASE("nothing is carried where sums keep their order", "[scheduler][carried]") {
    CHECK(carried_parts(checked(attention(""), {.reproducible = true})) == 0);
}

TEST_CASE("a schedule that carries what cannot be carried is refused", "[schedule][carried]") {
    auto const run = checked(attention(""), {});
    REQUIRE(schedule::faults_of(run.schedule.header).empty());
    for (int wrong = 0; wrong < 5; ++wrong) {
        CAPTURE(wrong);
        schedule::Schedule schedule = run.schedule;
        schedule::FusionSpec& spec = schedule.header.fusions[schedule::FusionId{0}];
        schedule::FusionSpec::Axis& axis = spec.axes.back();
        REQUIRE(axis.is_carried);
        if (wrong == 0) axis.labels[0] = -1;
        if (wrong == 1) axis.parts = 1000;
        if (wrong == 2) axis.is_carried = false;
        if (wrong == 3) std::swap(spec.axes.front(), spec.axes.back());
        if (wrong == 4) axis.labels.assign(axis.labels.size(), -1);
        CHECK(!schedule::faults_of(schedule).empty());
    }
}
