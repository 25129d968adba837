#include "executor/report/verification.hpp"

#include "lib/base/json.hpp"

namespace ein::executor {

namespace {

std::int64_t sum(std::vector<VerifiedOutput> const& outputs, std::int64_t VerifiedOutput::*what) {
    std::int64_t total = 0;
    for (VerifiedOutput const& output : outputs) total += output.*what;
    return total;
}

Json to_json(VerifiedOutput const& output) {
    return {{"name", output.name},
            {"elements", output.elements},
            {"of", output.of},
            {"differ", output.differ},
            {"ill_conditioned", output.ill_conditioned},
            {"max_rel", output.max_rel},
            {"tolerance", output.tolerance}};
}

}  // namespace

std::int64_t Verification::elements() const { return sum(outputs, &VerifiedOutput::elements); }
std::int64_t Verification::differ() const { return sum(outputs, &VerifiedOutput::differ); }
std::int64_t Verification::ill_conditioned() const { return sum(outputs, &VerifiedOutput::ill_conditioned); }

Json to_json(Verification const& verification) {
    Json outputs = Json::array();
    for (VerifiedOutput const& output : verification.outputs) outputs.push_back(to_json(output));
    return {{"elements", verification.elements()},
            {"mismatches", verification.differ()},
            {"ill_conditioned", verification.ill_conditioned()},
            {"outputs", outputs},
            {"skipped", verification.skipped}};
}

std::string verified_line(Verification const& verification) {
    std::int64_t const doubtful = verification.ill_conditioned();
    return "  verified   " + std::to_string(verification.elements()) + " elements, " +
           std::to_string(verification.differ()) + " differ" +
           (doubtful == 0 ? "" : " (" + std::to_string(doubtful) + " are ill-conditioned and off by rounding)") + "\n";
}

}  // namespace ein::executor
