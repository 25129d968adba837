#include "lib/schedule/device/producer_fusion.hpp"

#include <algorithm>

#include "lib/scalar/expression/walk.hpp"
#include "lib/schedule/device/device_memory.hpp"
#include "lib/schedule/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;

namespace {

schedule::Schedule schedule_of(std::string const& graph, int ranks = 1) {
    test::WholeRunSetup setup;
    setup.ranks = ranks;
    return test::whole_run(Json::parse(graph), setup).schedule;
}

/// The nodes whose kernels are left, in order.
std::vector<std::string> kernels_left(schedule::Schedule& schedule, std::int64_t one_kernel = std::int64_t{1} << 40) {
    schedule::Section& section = schedule.sections[Rank{0}];
    schedule::fuse_producers(schedule.header, section, {.one_kernel = one_kernel});
    std::vector<std::string> out;
    for (schedule::Task const& task : section.tasks)
        if (task.is<schedule::Apply>())
            out.push_back(schedule.header.kernels[section.as<schedule::Apply>(task).kernel].node);
    schedule.header.prediction.peak_bytes[0] = schedule::replay(section).peak;
    for (std::string const& fault : schedule::faults_of(schedule)) FAIL_CHECK(fault);
    return out;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a softmax under a mask is three passes: its mask and its powers are computed where they are read",
          "[schedule][producer_fusion]") {
    auto schedule = schedule_of(R"~({"eingraph": 1,
        "tensors": {"S": {"shape": [64, 64], "dtype": "f32", "data": {"random": "normal"}}},
        "nodes": [{"name": "masked", "einsum": "ij->ij", "inputs": ["S"], "join": "where([i] >= [j], x, -inf)"},
                  {"name": "largest", "einsum": "ij->i", "inputs": ["masked"], "agg": "max"},
                  {"name": "powers", "einsum": "ij,i->ij", "inputs": ["masked", "largest"], "join": "exp(x - y)"},
                  {"name": "total", "einsum": "ij->i", "inputs": ["powers"]},
                  {"name": "weights", "einsum": "ij,i->ij", "inputs": ["powers", "total"], "join": "x/y"}],
        "outputs": ["weights"]})~");
    auto tight = schedule;
    CHECK(kernels_left(schedule) == Names{"largest", "total", "weights"});
    std::int64_t const peak = schedule::replay(tight.sections[Rank{0}]).peak;
    schedule::fuse_producers(tight.header, tight.sections[Rank{0}],
                             {.peak = peak});  // what is read again would live longer
    CHECK(schedule::replay(tight.sections[Rank{0}]).peak == peak);
}

TEST_CASE("a kernel takes others in as long as a device has room for what it then reads",
          "[schedule][producer_fusion]") {
    auto const chain = schedule_of(R"~({"eingraph": 1, "dtype": "f32",
        "tensors": {"A": {"shape": [64], "data": {"random": "normal"}},
                    "B": {"shape": [64], "data": {"random": "normal"}},
                    "C": {"shape": [64], "data": {"random": "normal"}},
                    "D": {"shape": [64], "data": {"random": "normal"}}},
        "nodes": [{"name": "ab", "einsum": "i,i->i", "inputs": ["A", "B"], "join": "x+y"},
                  {"name": "abc", "einsum": "i,i->i", "inputs": ["ab", "C"], "join": "x*y"},
                  {"name": "abcd", "einsum": "i,i->i", "inputs": ["abc", "D"], "join": "x-y"}],
                  "outputs": ["abcd"]})~");
    auto const left = [&](std::int64_t blocks) {  // of 256 bytes
        auto schedule = chain;
        Names const names = kernels_left(schedule, 256 * blocks);
        CHECK(schedule::largest_working_set(schedule.sections[Rank{0}]).bytes <=
              256 * std::max<std::int64_t>(3, blocks));
        return names.size();
    };
    CHECK(left(0) == 3);
    CHECK(left(3) == 3);
    CHECK(left(4) == 2);
    CHECK(left(5) == 1);
}

TEST_CASE("what is read twice is computed once, and joins do not grow without end", "[schedule][producer_fusion]") {
    for (char const* const subscripts : {"ij,ij->ij", "ij,ji->ij"}) {
        Json nodes = Json::array();
        for (int k = 0; k < 90; ++k)
            nodes.push_back({{"name", "z" + std::to_string(k + 1)},
                             {"einsum", subscripts},
                             {"join", "x/2 + y/2"},
                             {"inputs", Json::array({"z" + std::to_string(k), "z" + std::to_string(k)})}});
        Json const graph = {{"eingraph", 1},
                            {"outputs", {"z90"}},
                            {"nodes", nodes},
                            {"tensors", {{"z0", {{"shape", {4, 4}}, {"data", {{"random", "normal"}}}}}}}};
        CAPTURE(subscripts);
        auto schedule = schedule_of(graph.dump());
        std::size_t const kernels = kernels_left(schedule).size();
        CHECK(kernels > 1);
        CHECK(kernels < 60);
        for (schedule::Kernel const& kernel : schedule.header.kernels)
            CHECK(scalar::arguments_first(kernel.einsum.join).size() <= 256);
    }
}

TEST_CASE("what is an output, feeds a product, or is read often at many operands stays",
          "[schedule][producer_fusion]") {
    auto output = schedule_of(R"~({"eingraph": 1, "tensors": {"X": {"shape": [64], "data": {"random": "normal"}}},
        "nodes": [{"name": "a", "einsum": "i->i", "inputs": ["X"], "join": "2*x"},
                  {"name": "b", "einsum": "i->i", "inputs": ["a"], "join": "x+1"}],
        "outputs": ["a", "b"]})~");
    CHECK(kernels_left(output) == Names{"a", "b"});
    auto product = schedule_of(R"~({"eingraph": 1, "tensors": {"X": {"shape": [16, 16], "data": {"random": "normal"}}},
        "nodes": [{"name": "a", "einsum": "ij->ij", "inputs": ["X"], "join": "relu(x)"},
                  {"name": "b", "einsum": "ij,jk->ik", "inputs": ["a", "X"]}],
        "outputs": ["b"]})~");
    CHECK(kernels_left(product) == Names{"a", "b"});
    // read by two, and two operands as large as itself: each reader would read as much more as is saved
    auto sum = schedule_of(R"~({"eingraph": 1,
        "tensors": {"X": {"shape": [64], "data": {"random": "normal"}},
                    "Y": {"shape": [64], "data": {"random": "normal"}},
                    "U": {"shape": [64], "data": {"random": "normal"}}},
        "nodes": [{"name": "a", "einsum": "i,i,i->i", "inputs": ["X", "Y", "U"], "join": "x+y*z"},
                  {"name": "b", "einsum": "i->i", "inputs": ["a"], "join": "exp(x)"},
                  {"name": "c", "einsum": "i->i", "inputs": ["a"], "join": "sin(x)"},
                  {"name": "d", "einsum": "i->", "inputs": ["a"]}],
        "outputs": ["b", "c", "d"]})~");
    CHECK(kernels_left(sum) == Names{"a", "b", "c", "d"});
}

TEST_CASE("elements keep the rounding of where they would have been stored", "[schedule][producer_fusion]") {
    auto schedule = schedule_of(
        R"~({"eingraph": 1, "tensors": {"X": {"shape": [64], "dtype": "bf16", "data": {"random": "normal"}}},
        "nodes": [{"name": "a", "einsum": "i->i", "inputs": ["X"], "join": "exp(x)", "dtype": "bf16"},
                  {"name": "b", "einsum": "i,i->i", "inputs": ["a", "X"], "join": "x*y", "dtype": "bf16"}],
                  "outputs": ["b"]})~");
    CHECK(kernels_left(schedule) == Names{"b"});
    graph::EinSum const& einsum = schedule.header.kernels.back().einsum;
    CHECK(einsum.operands() == 1);  // X is read once
    CHECK(einsum.join.args()[0].op() == scalar::Op::cast);
}

TEST_CASE("a loop keeps what it carries, and its tasks are found again", "[schedule][producer_fusion]") {
    auto schedule =
        schedule_of(R"~({"eingraph": 1, "tensors": {"X": {"shape": [64], "dtype": "f64", "data": {"random": "normal"}}},
        "nodes": [{"name": "L", "loop": {"times": 3, "carry": {"X": "b"}, "body": [
                      {"name": "a", "einsum": "i->i", "inputs": ["X"], "join": "x*x"},
                      {"name": "b", "einsum": "i->i", "inputs": ["a"], "join": "x/2"}]}}],
        "outputs": ["L/X"]})~");
    CHECK(kernels_left(schedule) == Names{"L/b"});
}
