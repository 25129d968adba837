// Which kernels run as fused groups, how they are cut, and that a run gives what single tasks give.
#include "executor/fusion/fusion_plan.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/schedule/fusion/fold.hpp"
#include "lib/tensor/compare.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;
using executor::FusedStep;
using scheduler::FusedGroup;
using scheduler::FusionLimits;

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

/// Rank 0's section as it was before anything was fused, but for the order of its tasks.
schedule::Section apart(test::WholeRun const& run) {
    return schedule::with_members_apart(run.schedule.header, run.schedule.sections[Rank{0}]);
}

std::vector<FusedGroup> found_in(test::WholeRun const& run, schedule::Section const& section,
                                 FusionLimits const& limits, schedule::Profile& profile) {
    schedule::Header const& header = run.schedule.header;
    return scheduler::find_fused_groups(header, section, limits, scheduler::alike_kernels(header.kernels), profile);
}

std::vector<FusedGroup> groups_of(test::WholeRun const& run, FusionLimits const& limits) {
    schedule::Section const section = apart(run);
    auto profile = schedule::replay(section);
    return found_in(run, section, limits, profile);
}

std::string kinds_of(test::WholeRun const& run, FusedGroup const& group) {
    std::string text;
    schedule::Section const section = apart(run);
    for (TaskId id : group.tasks) {
        auto const call = section.kernel_call(section.tasks[id]);
        REQUIRE(call);
        text += (text.empty() ? "" : " ") + run.schedule.header.kernels[call->kernel].node;
    }
    return text;
}

void check_equal(test::WholeRun const& run, double allowed) {
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    for (auto const& [name, expected] : run.expected)
        CHECK(tensor::compare(run.results.at(name), expected, allowed).count == 0);
}

FusionLimits const small{4096, 0, 2};

}  // namespace

TEST_CASE("a softmax is one fused group, cut along its rows", "[scheduler][fused_groups]") {
    Json const json = graph_of({{{"name", "Z"}, {"op", "softmax"}, {"inputs", {"X"}}, {"axes", {1}}}},
                               {{"X", uniform({37, 64}, 1)}}, "Z");
    auto const run = test::whole_run(json, {.fused_groups = small});
    auto const fused_groups = groups_of(run, small);
    REQUIRE(fused_groups.size() == 1);
    CHECK(fused_groups[0].tasks.size() == 3);
    REQUIRE(fused_groups[0].axes.size() == 1);
    CHECK(fused_groups[0].axes[0].length == 37);
    CHECK(fused_groups[0].pieces() == 5);  // of 37 x 64 x 8 bytes and two columns, 4 KiB each
    check_equal(run, 1e-5);
    CHECK(groups_of(run, {}).empty());  // so small a one is in the cache anyway
}

TEST_CASE("scores, mask, softmax and weighted sum are one group, heads cut before queries",
          "[scheduler][fused_groups]") {
    auto const run = test::whole_run(attention(3, 40, 24, 8), {.threads = 2, .fused_groups = small});
    auto const fused_groups = groups_of(run, small);
    REQUIRE(fused_groups.size() == 1);
    CHECK(kinds_of(run, fused_groups[0]).starts_with("S T "));
    CHECK(kinds_of(run, fused_groups[0]).ends_with(" Z"));
    REQUIRE(fused_groups[0].axes.size() == 2);
    CHECK(fused_groups[0].axes[0].parts == 3);
    CHECK(fused_groups[0].axes[1].parts > 1);
    check_equal(run, 1e-5);
}

TEST_CASE("pieces of large blocks are read and written in runs", "[scheduler][fused_groups]") {
    Json const json = graph_of({{{"name", "Z"}, {"op", "softmax"}, {"inputs", {"X"}}, {"axes", {0}}}},
                               {{"X", uniform({48, 640}, 1)}}, "Z");
    FusionLimits limits = small;
    for (auto const& [run, parts] : {std::pair<Extent, std::int64_t>{4, 62}, {512, 5}, {2000, 1}}) {
        limits.least_run = run;
        auto const whole = test::whole_run(json, {.fused_groups = limits});
        auto const groups = groups_of(whole, limits);
        CAPTURE(run);
        REQUIRE(groups.size() == (parts > 1 ? 1U : 0U));
        if (parts > 1) CHECK(groups[0].pieces() == parts);
        check_equal(whole, 1e-5);
    }
}

TEST_CASE("columns too long for the cache are not fused, unless what is inside is large", "[scheduler][fused_groups]") {
    Json const json = graph_of({{{"name", "Z"}, {"op", "softmax"}, {"inputs", {"X"}}, {"axes", {0}}}},
                               {{"X", uniform({480, 640}, 1)}}, "Z");
    FusionLimits limits = small;
    limits.least_run = 512;
    for (auto const& [cache, groups] : {std::pair<double, std::size_t>{1 << 20, 1}, {1 << 16, 0}, {1 << 12, 1}}) {
        limits.bytes_of_a_row_piece = cache;
        auto const whole = test::whole_run(json, {.fused_groups = limits});
        CAPTURE(cache);
        CHECK(groups_of(whole, limits).size() == groups);
        check_equal(whole, 1e-5);
    }
}

TEST_CASE("an argmax over columns reads them once, in a few pieces of long runs", "[scheduler][fused_groups]") {
    auto const graph = [](std::string const& agg, Extent columns) {
        return graph_of({node("Z", "ij->j", {"X"}, "abs(x)", agg)}, {{"X", uniform({480, columns}, 1)}}, "Z");
    };
    FusionLimits limits = small;
    limits.least_run = 512;
    limits.bytes_of_a_row_piece = 1 << 16;
    for (std::string const agg : {"argmax", "argmin"})
        for (auto const& [columns, pieces] : {std::pair<Extent, std::int64_t>{4096, 4}, {1024, 4}, {300, 0}}) {
            CAPTURE(agg, columns);
            auto const whole = test::whole_run(graph(agg, columns), {.threads = 2, .fused_groups = limits});
            auto const groups = groups_of(whole, limits);
            REQUIRE(groups.size() == (pieces > 0 ? 1U : 0U));
            if (pieces > 0) CHECK(groups[0].pieces() == pieces);
            check_equal(whole, 0);
        }
}

TEST_CASE("a product of a short sum is cut where other kernels would be", "[scheduler][fused_groups]") {
    Json const json = graph_of(
        {node("T", "bhpf,ftp->bhtf", {"K", "R"}, "x*y"),
         node("Z", "bhtf,bkhtf->bkhtf", {"T", "C"}, "where([k] == 3, x, y)")},
        {{"K", uniform({6, 4, 2, 8}, 1)}, {"R", uniform({8, 2, 2}, 2)}, {"C", uniform({6, 24, 4, 2, 8}, 3)}}, "Z");
    FusionLimits const limits{.bytes_of_a_piece = 9000, .least_bytes = 0, .least_rows = 128, .least_run = 64};
    auto const run = test::whole_run(json, {.fused_groups = limits});
    schedule::Section const section = apart(run);
    auto profile = schedule::replay(section);
    profile.peak *= 2;
    auto const groups = found_in(run, section, limits, profile);
    REQUIRE(groups.size() == 1);
    REQUIRE(groups[0].axes.size() == 4);
    CHECK(groups[0].axes[0].parts == 6);  // rows of the product
    CHECK(groups[0].axes[3].parts == 1);  // inside of both
    check_equal(run, 1e-5);
}

TEST_CASE("a fused group ends where something else reads what is inside", "[scheduler][fused_groups]") {
    Json json = attention(2, 16, 16, 4);
    json["outputs"] = {"Z", "T"};
    auto const run = test::whole_run(json, {.fused_groups = small});
    auto const fused_groups = groups_of(run, small);
    REQUIRE(fused_groups.size() == 2);
    CHECK(kinds_of(run, fused_groups[0]) == "S T");
    CHECK(kinds_of(run, fused_groups[1]).ends_with(" Z"));
    check_equal(run, 1e-5);
}

TEST_CASE("products of long sums stay single tasks", "[scheduler][fused_groups]") {
    Json const json = graph_of({node("Y", "ij,jk->ik", {"A", "B"}, "x*y"), node("Z", "ik->ik", {"Y"}, "relu(x)")},
                               {{"A", uniform({32, 400}, 1)}, {"B", uniform({400, 32}, 2)}}, "Z");
    CHECK(groups_of(test::whole_run(json, {}), small).empty());
}

TEST_CASE("a fused group holds its inputs only where the predicted peak has room", "[scheduler][fused_groups]") {
    Json const json = graph_of(
        {node("A", "ij->ij", {"X"}, "x+1"), node("B", "ij->ij", {"A"}, "x*2"), node("C", "ij->ij", {"B"}, "x-3")},
        {{"X", uniform({64, 64}, 1)}}, "C");
    auto const run = test::whole_run(json, {.fused_groups = small});
    schedule::Section const section = apart(run);
    auto profile = schedule::replay(section);
    constexpr std::int64_t bytes = 64 * 64 * 4;
    CHECK(profile.peak == 2 * bytes);
    auto const before = profile.live;
    auto const fused_groups = found_in(run, section, small, profile);
    REQUIRE(fused_groups.size() == 1);
    CHECK(fused_groups[0].tasks.size() == 3);
    std::int32_t const first = fused_groups[0].tasks.front().value();
    for (std::int32_t at = first; at < first + 3; ++at)  // X all the time; A and B never
        CHECK(profile.live[static_cast<std::size_t>(at)] == (at == first + 2 ? 2 : 1) * bytes);
    profile = schedule::replay(section);
    profile.peak = 2 * bytes - 1;
    CHECK(found_in(run, section, small, profile).empty());
    CHECK(profile.live == before);
    CHECK(run.schedule.header.prediction.peak_bytes[0] == 2 * bytes);
    CHECK(run.ranks[0].blocks.peak_bytes() == 2 * bytes);
    check_equal(run, 1e-6);
}

TEST_CASE("a fused group holds its inputs also where others read them last", "[scheduler][fused_groups]") {
    Json json = graph_of(
        {node("E", "ij->ij", {"X"}, "exp(x)"), node("Z", "ij->i", {"E"}, "x"), node("R", "ij->j", {"X"}, "x", "max")},
        {{"X", uniform({64, 64}, 1)}}, "Z");
    json["outputs"].push_back("R");
    auto const run = test::whole_run(json, {.fused_groups = small});
    schedule::Section section = apart(run);
    auto const place = [&](std::string const& name) {
        return std::find_if(section.tasks.begin(), section.tasks.end(), [&](schedule::Task const& task) {
            return task.is<schedule::Apply>() &&
                   run.schedule.header.kernels[section.as<schedule::Apply>(task).kernel].node == name;
        });
    };
    if (place("R") < place("E")) std::iter_swap(place("R"), place("E"));
    if (place("Z") < place("R")) std::iter_swap(place("Z"), place("R"));
    REQUIRE(place("E") < place("R"));  // any order of the three that makes E before Z is one of the schedule's
    REQUIRE(place("R") < place("Z"));
    auto profile = schedule::replay(section);
    auto const before = profile.live;
    REQUIRE(found_in(run, section, small, profile).size() == 1);
    constexpr std::int64_t bytes = 64 * 64 * 4;
    auto const z = static_cast<std::size_t>(place("Z") - section.tasks.begin());
    CHECK(profile.live[z] == before[z]);  // X in E's place
    CHECK(before[z] == bytes + 2 * 64 * 4);
    check_equal(run, 1e-5);
}

TEST_CASE("many pieces: each of a run brings the next one's operands", "[scheduler][fused_groups]") {
    Json const json =
        graph_of({{{"name", "Z"}, {"op", "layer_norm"}, {"inputs", {"X"}}}}, {{"X", uniform({301, 64}, 1)}}, "Z");
    int const threads = GENERATE(1, 3);
    auto const run = test::whole_run(json, {.threads = threads, .fused_groups = small});
    REQUIRE(groups_of(run, small).size() == 1);
    CHECK(groups_of(run, small)[0].pieces() > 8 * threads);
    check_equal(run, 1e-5);
}

TEST_CASE("fused groups give the same bits for any number of threads", "[scheduler][fused_groups]") {
    Json const json = attention(2, 70, 50, 8);
    auto const one = test::whole_run(json, {.threads = 1, .fused_groups = small}),
               three = test::whole_run(json, {.threads = 3, .fused_groups = small});
    auto const a = one.results.at("Z").bytes(), b = three.results.at("Z").bytes();
    CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

namespace {

/// "NODE: labels,labels->labels join" of each step of the only group.
std::vector<std::string> steps_of(test::WholeRun const& run) {
    schedule::Section const& section = run.schedule.sections[Rank{0}];
    std::vector<TaskId> fused;
    for (TaskId id : section.tasks.ids())
        if (section.tasks[id].is<schedule::Fused>()) fused.push_back(id);
    REQUIRE(fused.size() == 1);
    std::vector<std::string> texts;
    for (FusedStep const& step :
         executor::fusion_plan(run.schedule.header, executor::fused_group(run.schedule.header, section, fused[0]))) {
        graph::EinSum const& einsum = step.kernel.einsum;
        REQUIRE(einsum.operands() == step.operands.size());
        std::string text;
        auto const add = [&](std::vector<int> const& labels) {
            for (int label : labels) text += einsum.labels[static_cast<std::size_t>(label)];
        };
        for (std::size_t k = 0; k < einsum.operands(); ++k) {
            if (k > 0) text += ",";
            add(einsum.inputs[k]);
            std::int32_t const from = step.operands[k].step;
            if (from >= 0) text += "(" + std::to_string(from) + ")";
        }
        text += "->";
        add(einsum.output);
        texts.push_back(text + " " +
                        scalar::print(einsum.join, {static_cast<int>(einsum.operands()), einsum.labels, {}}));
    }
    return texts;
}

Json softmax_by_hand(std::string const& sum, std::string const& sum_join, std::string const& quotient,
                     std::string const& quotient_join) {
    return graph_of({node("M", "ij->i", {"X"}, "x", "max"), node("S", sum, {"X", "M"}, sum_join),
                     node("Z", quotient, {"M", "S", "X"}, quotient_join)},
                    {{"X", uniform({40, 64}, 1)}}, "Z");
}

}  // namespace

TEST_CASE("what several kernels of a group compute alike is computed once", "[scheduler][fused_groups]") {
    Json const json = graph_of({{{"name", "Z"}, {"op", "softmax"}, {"inputs", {"X"}}, {"axes", {1}}}},
                               {{"X", uniform({37, 64}, 1)}}, "Z");
    auto const run = test::whole_run(json, {.fused_groups = small});
    std::vector<std::string> const steps = steps_of(run);
    REQUIRE(steps.size() == 4);
    CHECK(steps[1].ends_with("exp(x - y)"));
    CHECK(steps[2].ends_with(" x"));
    CHECK(steps[3].ends_with("y/x"));
    check_equal(run, 1e-6);
}

TEST_CASE("parts are known again under other labels and other operands", "[scheduler][fused_groups]") {
    auto const run =
        test::whole_run(softmax_by_hand("ij,i->i", "exp(x - y)*[j]", "b,b,bc->bc", "[b]*exp(z - x)/y + exp(z - x)"),
                        {.fused_groups = small});
    CHECK(steps_of(run) == std::vector<std::string>{"ij->i x", "ij,i(0)->ij exp(x - y)", "ij(1)->i x*[j]",
                                                    "b(2),bc(1)->bc [b]*y/x + y"});
    check_equal(run, 1e-5);
}

TEST_CASE("parts that only look alike stay apart", "[scheduler][fused_groups]") {
    auto const count = [](Json const& json) {
        auto const run = test::whole_run(json, {.fused_groups = small});
        check_equal(run, 1e-5);
        return steps_of(run).size();
    };
    CHECK(count(softmax_by_hand("ij,i->i", "exp(x - y)", "i,i,ij->ij", "exp(z - y)")) == 3);  // of other operands
    CHECK(count(softmax_by_hand("ij,i->i", "exp(x - y + [j])", "i,i,ij->ij", "exp(z - x + [i])/y")) ==
          3);                                                                                 // of another label
    CHECK(count(softmax_by_hand("ij,i->i", "(x - y)*2", "i,i,ij->ij", "(z - x)*2/y")) == 3);  // cheap
    CHECK(count(graph_of({node("M", "ij,jk->ik", {"X", "Y"}, "exp(x*y)", "max"),
                          node("S", "ij,jk,ik->ik", {"X", "Y", "M"}, "exp(x*y) - z")},
                         {{"X", uniform({40, 16}, 1)}, {"Y", uniform({16, 24}, 2)}}, "S")) ==
          2);  // larger than all operands
}

TEST_CASE("a part within a part is kept for those that have it alone", "[scheduler][fused_groups]") {
    Json const json =
        graph_of({node("M", "ij->i", {"X"}, "x", "max"), node("S", "ij,i->i", {"X", "M"}, "sin(exp(x - y))"),
                  node("T", "ij,i,i->i", {"X", "M", "S"}, "exp(x - y)*z"),
                  node("Z", "ij,i,i->ij", {"X", "M", "T"}, "sin(exp(x - y))*z")},
                 {{"X", uniform({40, 64}, 1)}}, "Z");
    auto const run = test::whole_run(json, {.fused_groups = small});
    CHECK(steps_of(run) == std::vector<std::string>{"ij->i x", "ij,i(0)->ij exp(x - y)", "ij(1)->ij sin(x)",
                                                    "ij(2)->i x", "i(3),ij(1)->i y*x", "i(4),ij(2)->ij y*x"});
    check_equal(run, 1e-5);
}

TEST_CASE("what is kept has the elements that computing it again gives, to the bit", "[scheduler][fused_groups]") {
    Json const json = softmax_by_hand("ij,i->i", "max(exp(x - y), y)", "i,i,ij->ij", "exp(z - x)/y");
    Json with_maximum = json;
    with_maximum["nodes"][1]["agg"] = "max";  // which no order changes
    auto const fused = test::whole_run(with_maximum, {.fused_groups = small}),
               single = test::whole_run(with_maximum, {});
    REQUIRE(steps_of(fused).size() == 4);
    REQUIRE(groups_of(single, {}).empty());
    CHECK(test::same_bits(fused.results.at("Z"), single.results.at("Z")));
}

TEST_CASE("groups of alike layers are cut alike, those of other lengths are not", "[scheduler][fused_groups]") {
    Json nodes = Json::array(), tensors = Json::object();
    auto const add_softmax = [&](std::string const& name, Extent rows) {
        tensors["X" + name] = uniform({rows, 64}, 1);
        nodes.push_back({{"name", name}, {"op", "softmax"}, {"inputs", {"X" + name}}, {"axes", {1}}});
    };
    add_softmax("A", 64), add_softmax("B", 64), add_softmax("C", 128);
    Json json = graph_of(nodes, tensors, "A");
    json["outputs"] = {"A", "B", "C"};
    auto const run = test::whole_run(json, {.fused_groups = small});
    auto const groups = groups_of(run, small);
    REQUIRE(groups.size() == 3);
    std::map<Extent, std::vector<std::int64_t>> parts;  // by rows
    for (FusedGroup const& group : groups) parts[group.axes[0].length].push_back(group.axes[0].parts);
    REQUIRE(parts.size() == 2);
    REQUIRE(parts[64].size() == 2);
    CHECK(parts[64][0] == parts[64][1]);
    CHECK(parts[128][0] > parts[64][0]);
    check_equal(run, 1e-5);
}

TEST_CASE("kernels are alike whatever their nodes and labels are called", "[scheduler][fused_groups]") {
    Json const json =
        graph_of({node("A", "ij,jk->ik", {"X", "Y"}, "x*y"), node("B", "ab,bc->ac", {"A", "Y"}, "x*y"),
                  node("C", "ij,jk->ik", {"B", "Y"}, "x+y"), node("D", "ij,jk->ik", {"C", "Y"}, "x*y", "max")},
                 {{"X", uniform({32, 32}, 1)}, {"Y", uniform({32, 32}, 2)}}, "D");
    auto const run = test::whole_run(json, {});
    auto const& kernels = run.schedule.header.kernels;
    auto const alike = scheduler::alike_kernels(kernels);
    REQUIRE(alike.size() == kernels.size());
    std::map<std::string, schedule::KernelId> first;
    for (schedule::KernelId id : kernels.ids()) first.emplace(kernels[id].node, alike[id]);
    CHECK(first.at("A") == first.at("B"));
    CHECK(first.at("C") != first.at("A"));
    CHECK(first.at("D") != first.at("A"));
}
