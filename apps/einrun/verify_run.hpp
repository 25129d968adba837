// einrun --verify: what a run was asked for and wrote, handed to lib/relation/verify.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/graph/contract/orders.hpp"
#include "lib/graph/ein_graph.hpp"
#include "lib/relation/verify/verification.hpp"

namespace ein::apps {

struct VerifySetup {
    std::string graph_text = {}, graph_file = {};
    std::vector<graph::ContractionOrder> orders = {};  // of the run
    std::filesystem::path data_folder = {}, output_folder = {};
    std::map<std::string, scalar::Scalar> sparse_outputs = {};  // those written as npz, and what they do not list
    std::map<std::string, tensor::Source> files = {};           // that the run read, by the names of tensors
    scalar::Params params = {};
    std::optional<std::int64_t> samples = std::nullopt;
    bool tf32 = false;  // multiplications in f32 were allowed to round their factors to 11 significant bits
};

/// @throws InputError, RunError
relation::Verification verify_run(VerifySetup const& setup);

/// Before the run: the outputs of which verify_run would check nothing. @throws InputError
std::vector<std::string> unverifiable_outputs(VerifySetup const& setup);

}  // namespace ein::apps
