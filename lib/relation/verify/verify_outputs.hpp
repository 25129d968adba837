// Compares what a run wrote with what its graph says, for as many elements as a few seconds allow, each output in the
// first of these ways of which it can afford an element: the reference interpreter term by term; the same contracting
// pairwise in another order than the run, in double precision; both once more from the other outputs as they were
// written. An element that is further off than usual is not wrong yet: it is computed again as the run computes it,
// with rounding errors at random, and compared with what comes out. What cannot be checked at all is reported.
#pragma once

#include <functional>
#include <optional>

#include "lib/relation/interpret.hpp"
#include "lib/relation/verify/verification.hpp"
#include "lib/tensor/read_back.hpp"

namespace ein::relation {

struct VerifyRequest {
    graph::EinGraph const& graph;  // as it was read, contractions whole
    scalar::Params params;
    /// Reads leaves of a graph: of `graph`, or of one whose leaves are some of `written` too.
    std::function<ReadLeaf(graph::EinGraph const& of)> leaves;
    /// The file of an output.
    std::function<tensor::WrittenOutput(graph::Value const&)> written;
    std::optional<std::int64_t> samples = {};  // of each output, whatever that takes; default: what `seconds` allow
    bool tf32 = false;       // multiplications in f32 were allowed to round their factors to 11 significant bits
    double seconds = 5;      // for all outputs together, by the fixed figures of work_time.hpp
    double patience = 3600;  // where `samples` are asked for
};

/// @throws InputError for files that cannot be read
Verification verify_outputs(VerifyRequest const& request);

/// The outputs of which verify_outputs would check nothing. Reads no tensor, so it can be asked before a run.
std::vector<std::string> outputs_out_of_reach(VerifyRequest const& request);

}  // namespace ein::relation
