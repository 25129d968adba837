// What comparing a run's outputs with a reference has found, for the report and the summary. Leaves the comparing to
// whoever knows the graph.
// Example: two outputs of 24 checked elements each, of which one differs: elements() is 48, differ() is 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/json_fwd.hpp"

namespace ein::executor {

struct VerifiedOutput {
    std::string name;
    std::int64_t elements = 0, of = 0;  // checked; there are
    std::int64_t differ = 0;            // of those that were checked
    std::int64_t ill_conditioned = 0;   // further off than usual, though no more than rounding may move them
    double max_rel = 0, tolerance = 0;  // greatest relative difference, and the greatest that is usual
};

struct Verification {
    std::vector<VerifiedOutput> outputs;
    std::vector<std::string> mismatches;  // a message each
    std::vector<std::string> skipped;     // outputs of which one element would be too much work, a message each

    std::int64_t elements() const;
    std::int64_t differ() const;
    std::int64_t ill_conditioned() const;
};

/// The report's "verify": {"elements", "mismatches", "ill_conditioned", "outputs": [{"name", "elements", "of",
/// "differ", "ill_conditioned", "max_rel", "tolerance"}], "skipped"}.
Json to_json(Verification const& verification);

/// Its line of the summary: "  verified   48 elements, 1 differ".
std::string verified_line(Verification const& verification);

}  // namespace ein::executor
