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
bool is_checked(VerifiedOutput const& output) { return output.elements > 0 || output.of == 0; }

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

/// "0 differ, 3 excused (2 ill-conditioned, 1 overflow)"
std::string counts(std::int64_t differ, std::int64_t ill_conditioned, std::int64_t overflow) {
    std::string out = std::to_string(differ) + " differ";
    if (ill_conditioned + overflow == 0) return out;
    out += ", " + std::to_string(ill_conditioned + overflow) + " excused (";
    if (ill_conditioned > 0) out += std::to_string(ill_conditioned) + " ill-conditioned";
    if (overflow > 0) out += (ill_conditioned > 0 ? ", " : "") + std::to_string(overflow) + " overflow";
    return out + ")";
}

std::string_view described(Reference by) {
    switch (by) {
        case Reference::interpreter: return "the reference interpreter";
        case Reference::products: return "products in double precision";
        case Reference::another_order: return "another order of contraction in double precision";
        case Reference::run_order: return "the run's order of contraction in double precision";
    }
    throw InternalError("a reference without a description");
}

std::string line(VerifiedOutput const& output) {
    if (!is_checked(output))
        return "  verified   " + output.name + ": 0 of " + std::to_string(output.of) + " elements, not checked\n";
    char tolerance[32];
    std::snprintf(tolerance, sizeof tolerance, "%.2g", output.tolerance);
    std::string const within = output.tolerance == 0 ? "exactly" : std::string("tolerance ") + tolerance;
    return "  verified   " + output.name + ": " + std::to_string(output.elements) + " of " + std::to_string(output.of) +
           " elements, " + counts(output.differ, output.ill_conditioned, output.overflow) + "; by " +
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
    }
    throw InternalError("a reference without a name");
}

std::int64_t Verification::elements() const { return sum(outputs, &VerifiedOutput::elements); }
std::int64_t Verification::of() const { return sum(outputs, &VerifiedOutput::of); }
std::int64_t Verification::differ() const { return sum(outputs, &VerifiedOutput::differ); }
std::int64_t Verification::ill_conditioned() const { return sum(outputs, &VerifiedOutput::ill_conditioned); }
std::int64_t Verification::overflow() const { return sum(outputs, &VerifiedOutput::overflow); }

Json to_json(Verification const& verification) {
    Json outputs = Json::array();
    for (VerifiedOutput const& output : verification.outputs) outputs.push_back(to_json(output));
    return {{"elements", verification.elements()},
            {"of", verification.of()},
            {"mismatches", verification.differ()},
            {"excused", excused(verification.ill_conditioned(), verification.overflow())},
            {"ill_conditioned", verification.ill_conditioned()},
            {"outputs", outputs},
            {"unchecked", verification.unchecked}};
}

std::string verified_lines(Verification const& verification) {
    std::vector<VerifiedOutput> const& outputs = verification.outputs;
    std::string out;
    for (std::size_t k = 0; k < std::min(outputs.size(), tuning::most_output_lines); ++k) out += line(outputs[k]);
    if (outputs.size() <= tuning::most_output_lines) return out;
    return out + "  verified   all " + std::to_string(outputs.size()) +
           " outputs: " + std::to_string(verification.elements()) + " of " + std::to_string(verification.of()) +
           " elements, " + counts(verification.differ(), verification.ill_conditioned(), verification.overflow()) +
           "\n";
}

}  // namespace ein::relation
