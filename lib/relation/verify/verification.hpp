// What comparing a run's outputs with a reference has found, as a value: for the report and the summary.
// Example: two outputs of 24 checked elements each, of which one differs: elements() is 48, differ() is 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/json_fwd.hpp"
#include "lib/relation/verify/checked_calls.hpp"

namespace ein::relation {

/// How what an output should be was worked out.
enum class Reference : std::uint8_t {
    interpreter,    // the graph as it is written, term by term
    products,       // the same with products of two operands a block at a time, in double precision
    another_order,  // contractions of three or more operands in another order than the run's, in double precision
    run_order,      // the same in the run's order, where there is no other that can be afforded
    calls           // not at all: the calls behind it were checked while they ran
};
std::string_view name(Reference reference);  // as reports have it

struct VerifiedOutput {
    std::string name;
    std::int64_t elements = 0, of = 0;  // checked; there are
    Reference by = Reference::interpreter;
    std::vector<std::string> from = {};  // other outputs that it was worked out from, as they were written; empty: the
                                         // graph's tensors alone
    std::int64_t differ = 0;             // of those that were checked
    std::int64_t ill_conditioned = 0;    // further off than usual, though no more than rounding may move them
    std::int64_t overflow = 0;  // infinite or nan, or not, as one order of sums leaves them and another does not
    double max_rel = 0, tolerance = 0;  // greatest relative difference, and the greatest that is usual
};

struct Verification {
    std::vector<VerifiedOutput> outputs;
    std::vector<std::string> mismatches = {};  // a message each
    std::vector<std::string> unchecked = {};   // outputs of which nothing could be checked, a message each
    std::optional<CheckedCalls> calls = {};    // if calls were checked while they ran

    std::int64_t elements() const;
    std::int64_t of() const;
    std::int64_t differ() const;
    std::int64_t ill_conditioned() const;
    std::int64_t overflow() const;
};

/// Adds what calls have shown. Outputs of which nothing could be checked are checked by them, if they cover all nodes;
/// elements of calls that differ are mismatches.
void add_calls(Verification& verification, CheckedCalls calls);

/// The report's "verify": docs/verification.md.
Json to_json(Verification const& verification);

/// Its lines of the summary, one an output as long as there are few.
std::string verified_lines(Verification const& verification);

}  // namespace ein::relation
