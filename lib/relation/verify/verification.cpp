#include "lib/relation/verify/verification.hpp"

#include <algorithm>
#include <cstdio>

#include "lib/base/error.hpp"
#include "lib/base/json.hpp"
#include "lib/relation/tuning.hpp"

namespace ein::relation {

namespace {

std::int64_t sum(std::vector<VerifiedOutput> const& outputs, std::int64_t VerifiedOutput::*what) {
    std::int64_t total = 0;
    for (VerifiedOutput const& output : outputs) total += output.*what;
    return total;
}

Json excused(std::int64_t ill_conditioned, std::int64_t overflow) {
    return {{"ill_conditioned", ill_conditioned}, {"overflow", overflow}};
}

/// An empty output is: there is nothing to differ.
bool is_checked(VerifiedOutput const& output) {
    return output.elements > 0 || output.of == 0 || output.by == Reference::calls;
}

Json to_json(VerifiedOutput const& output) {
    return {{"name", output.name},
            {"elements", output.elements},
            {"of", output.of},
            {"by", is_checked(output) ? Json(name(output.by)) : Json()},
            {"from", output.from},
            {"differ", output.differ},
            {"excused", excused(output.ill_conditioned, output.overflow)},
            {"ill_conditioned", output.ill_conditioned},
            {"max_rel", output.max_rel},
            {"tolerance", output.tolerance}};
}

std::string_view described(Reference by) {
    switch (by) {
        case Reference::interpreter: return "the reference interpreter";
        case Reference::products: return "products in double precision";
        case Reference::another_order: return "another order of contraction in double precision";
        case Reference::run_order: return "the run's order of contraction in double precision";
        case Reference::calls: return "its calls";
    }
    throw InternalError("a reference without a description");
}

std::string line(VerifiedOutput const& output) {
    if (!is_checked(output))
        return "  verified   " + output.name + ": 0 of " + std::to_string(output.of) + " elements, not checked\n";
    if (output.by == Reference::calls)
        return "  verified   " + output.name + ": by the calls that it is made by, none of its " +
               std::to_string(output.of) + " elements on its own\n";
    char tolerance[32];
    std::snprintf(tolerance, sizeof tolerance, "%.2g", output.tolerance);
    std::string const within = output.tolerance == 0 ? "exactly" : std::string("tolerance ") + tolerance;
    return "  verified   " + output.name + ": " + std::to_string(output.elements) + " of " + std::to_string(output.of) +
           " elements, " + counts_text(output.differ, output.ill_conditioned, output.overflow) + "; by " +
           std::string(described(output.by)) +
           (output.from.empty() ? "" : " from the written " + joined(output.from, ", ")) + ", " + within + "\n";
}

}  // namespace

std::string_view name(Reference reference) {
    switch (reference) {
        case Reference::interpreter: return "interpreter";
        case Reference::products: return "products";
        case Reference::another_order: return "another_order";
        case Reference::run_order: return "run_order";
        case Reference::calls: return "calls";
    }
    throw InternalError("a reference without a name");
}

std::int64_t Verification::elements() const { return sum(outputs, &VerifiedOutput::elements); }
std::int64_t Verification::of() const { return sum(outputs, &VerifiedOutput::of); }
std::int64_t Verification::differ() const { return sum(outputs, &VerifiedOutput::differ); }
std::int64_t Verification::ill_conditioned() const { return sum(outputs, &VerifiedOutput::ill_conditioned); }
std::int64_t Verification::overflow() const { return sum(outputs, &VerifiedOutput::overflow); }

void add_calls(Verification& verification, CheckedCalls calls) {
    verification.mismatches.insert(verification.mismatches.end(), calls.mismatches.begin(), calls.mismatches.end());
    if (calls.covers_all()) {
        for (VerifiedOutput& output : verification.outputs)
            if (!is_checked(output)) output.by = Reference::calls;
        verification.unchecked.clear();
    }
    verification.calls = std::move(calls);
}

Json to_json(Verification const& verification) {
    Json outputs = Json::array();
    for (VerifiedOutput const& output : verification.outputs) outputs.push_back(to_json(output));
    return {{"elements", verification.elements()},
            {"of", verification.of()},
            {"mismatches", verification.differ() + (verification.calls ? verification.calls->differ : 0)},
            {"excused", excused(verification.ill_conditioned(), verification.overflow())},
            {"ill_conditioned", verification.ill_conditioned()},
            {"outputs", outputs},
            {"unchecked", verification.unchecked},
            {"calls", verification.calls ? to_json(*verification.calls) : Json()}};
}

std::string verified_lines(Verification const& verification) {
    std::vector<VerifiedOutput> const& outputs = verification.outputs;
    std::string out;
    for (std::size_t k = 0; k < std::min(outputs.size(), tuning::most_output_lines); ++k) out += line(outputs[k]);
    std::string const calls =
        verification.calls ? "  verified   " + text_of(*verification.calls) + "\n" : std::string();
    if (outputs.size() <= tuning::most_output_lines) return out + calls;
    return out + "  verified   all " + std::to_string(outputs.size()) +
           " outputs: " + std::to_string(verification.elements()) + " of " + std::to_string(verification.of()) +
           " elements, " + counts_text(verification.differ(), verification.ill_conditioned(), verification.overflow()) +
           "\n" + calls;
}

}  // namespace ein::relation
