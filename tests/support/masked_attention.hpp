// Attention under a mask and its gradients, as graphs, and how fused groups are cut in tests of such: in many pieces of
// few elements, so that some are left out, some computed and some filled.
// Example: test::masked_attention("[k] <= [i]", {.with_gradient = true}) has outputs g/Q, g/K and g/V.
#pragma once

#include "lib/tensor/compare.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/whole_run.hpp"

namespace ein::test {

/// Every two tasks that can be are a fused group, in many pieces.
inline scheduler::FusionLimits const small_pieces{.bytes_of_a_piece = 4000, .least_bytes = 0, .least_rows = 1};
/// Rows are cut too.
inline scheduler::FusionLimits const pieces_of_rows{.bytes_of_a_piece = 4000,
                                                    .least_bytes = 0,
                                                    .least_rows = 1,
                                                    .bytes_of_a_row_piece = 0,
                                                    .bytes_of_a_carried_piece = 500,
                                                    .least_carried = 8};
inline scheduler::FusionLimits const no_groups{.bytes_of_a_piece = 1e18, .least_bytes = 1e18, .least_rows = 1};

inline void check_close(WholeRun const& run, WholeRunSetup const& setup) {
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    if (!run.failures.empty()) return;
    for (auto const& [name, expected] : run.expected) {
        CAPTURE(name, setup.ranks, setup.threads);
        double const tolerance = tensor::tolerance(expected.dtype(), 2000);
        CHECK(tensor::compare(run.results.at(name), expected, tolerance).count == 0);
    }
    for (executor::RunResult const& rank : run.ranks) CHECK(rank.blocks.peak_bytes() <= rank.peak_predicted);
}

inline void check_close(Json const& graph, WholeRunSetup const& setup) { check_close(whole_run(graph, setup), setup); }

struct MaskedAttention {
    bool inside = false;  // the mask in the join of the scores
    bool with_gradient = false;
    std::string dtype = "f32";
    Extent positions = 75;
};

/// Two heads of width 4.
inline Json masked_attention(std::string const& mask, MaskedAttention const& of) {
    Json nodes = Json::array();
    std::string const chosen = "where(" + mask + ", ", rest = ", -inf)";
    if (of.inside) {
        nodes.push_back(
            {{"name", "S"}, {"einsum", "hid,hkd->hik"}, {"inputs", {"Q", "K"}}, {"join", chosen + "x*y*0.3" + rest}});
    } else {
        nodes.push_back({{"name", "S0"}, {"einsum", "hid,hkd->hik"}, {"inputs", {"Q", "K"}}});
        nodes.push_back({{"name", "S"}, {"einsum", "hik->hik"}, {"inputs", {"S0"}}, {"join", chosen + "x*0.3" + rest}});
    }
    nodes.push_back({{"name", "P"}, {"op", "softmax"}, {"inputs", {"S"}}});
    nodes.push_back({{"name", "O"}, {"einsum", "hik,hkd->hid"}, {"inputs", {"P", "V"}}});
    Json outputs{"O"};
    if (of.with_gradient) {
        nodes.push_back({{"name", "L"}, {"einsum", "hid->"}, {"inputs", {"O"}}, {"join", "x*x"}});
        nodes.push_back({{"name", "g"}, {"grad", {{"of", "L"}, {"wrt", {"Q", "K", "V"}}}}});
        outputs = {"g/Q", "g/K", "g/V"};
    }
    auto const tensor = [&](int seed) {
        return Json{{"shape", {2, of.positions, 4}}, {"data", {{"random", "normal"}, {"seed", seed}}}};
    };
    return {{"eingraph", 1},
            {"dtype", of.dtype},
            {"tensors", {{"Q", tensor(1)}, {"K", tensor(2)}, {"V", tensor(3)}}},
            {"nodes", nodes},
            {"outputs", outputs}};
}

}  // namespace ein::test
