// What a run says about NaN and infinities when it has ended: how many are in its outputs, whether they come of its
// inputs, and, where every node was looked at (--check-finite), where they begin.
// Costs nothing where outputs are finite: inputs are read again, up to the first such element, only where outputs have
// some that the graph does not write itself.
// Example: outputs {1, nan} of finite inputs: one warning, "NaN or infinities in outputs, and none in inputs: 1 element
// (1 NaN) of 'S'; ...".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "executor/engine/task_runner.hpp"
#include "executor/finite/counted_outputs.hpp"
#include "executor/finite/origins.hpp"
#include "executor/transport/transport.hpp"

namespace ein::executor {

struct NonFiniteReport {
    struct Of {
        std::string output;
        tensor::NonFinite count;
        std::int64_t of = 0;  // elements
    };
    bool every_node = false;                  // was looked at
    std::vector<Of> outputs;                  // that have some
    std::optional<tensor::NonFinite> inputs;  // at least so many; nothing: they were not looked at
    tensor::NonFinite meant;                  // kinds that joins, fills and params of the graph have
    std::vector<Origin> origins;              // by kernel
};

/// What ranks found by themselves.
struct RankNonFinite {
    OutputCounts outputs;
    std::optional<SeenNonFinite> seen;  // where every node was looked at
};

/// Collective. Loads of this rank are read again by `readers` if need be. @throws InputError, RunError as they do
NonFiniteReport report_non_finite(Transport& transport, schedule::Header const& header,
                                  schedule::Section const& section, Readers const& readers, RankNonFinite const& mine);

/// Why the run fails; "" where no node is at fault.
std::string fault_of(NonFiniteReport const& report, schedule::Header const& header);
/// A message each.
std::vector<std::string> warnings_of(NonFiniteReport const& report, schedule::Header const& header);
/// Its lines of the summary, "" where outputs are finite: "  not finite 12 elements (3 NaN, 9 infinite) of 24 of 'S'".
std::string summary_of(NonFiniteReport const& report);
/// {"every_node", "outputs": [{"name", "of", "nan", "infinite"}], "in_inputs": null or {"nan", "infinite"}, "nodes":
/// [{"node", "nan", "infinite", "inputs_are_finite", "iterations": [{"loop", "iteration"}], "ranks"}]}
Json to_json(NonFiniteReport const& report, schedule::Header const& header);

}  // namespace ein::executor
