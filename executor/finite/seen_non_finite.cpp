#include "executor/finite/seen_non_finite.hpp"

#include <algorithm>

#include "lib/base/json.hpp"

namespace ein::executor {

bool is_later(Moment const& a, Moment const& b) {
    for (std::size_t depth = 0; depth < std::min(a.size(), b.size()) && a[depth].loop == b[depth].loop; ++depth)
        if (a[depth].iteration != b[depth].iteration) return a[depth].iteration > b[depth].iteration;
    return false;
}

std::int64_t Sighting::elements() const {
    std::int64_t sum = 0;
    for (auto const& [part, count] : parts) sum += count;
    return sum;
}

bool Sighting::add(Box const& part, std::int64_t count, Moment const& when) {
    if (count == 0 || (any() && is_later(when, first))) return false;
    if (!any() || is_later(first, when)) {
        first = when;
        parts.clear();
    }
    std::int64_t& known = parts[part];
    if (count <= known) return false;
    known = count;
    return true;
}

void Sighting::add(Sighting const& other) {
    for (auto const& [part, count] : other.parts) add(part, count, other.first);
}

Json to_json(Moment const& moment) {
    Json out = Json::array();
    for (AtIteration const& at : moment) out.push_back({at.loop.value(), at.iteration});
    return out;
}

namespace {

Moment moment_from(Json const& json) {
    Moment out;
    for (Json const& at : json)
        out.push_back({schedule::LoopSpecId{at.at(0).get<std::int32_t>()}, at.at(1).get<std::int64_t>()});
    return out;
}

Json sighting_json(Sighting const& sighting) {
    Json parts = Json::array();
    for (auto const& [part, count] : sighting.parts) parts.push_back({part.begin, part.length, count});
    return {{"first", to_json(sighting.first)}, {"parts", parts}};
}

Sighting sighting_from(Json const& json) {
    Sighting out{moment_from(json.at("first")), {}};
    for (Json const& part : json.at("parts"))
        out.parts[{part.at(0).get<std::vector<Extent>>(), part.at(1).get<Shape>()}] = part.at(2).get<std::int64_t>();
    return out;
}

schedule::TensorId tensor_from(Json const& json) { return schedule::TensorId{json.get<std::int32_t>()}; }

Json tensor_json(SeenTensor const& seen) {
    Json inputs = Json::array();
    for (schedule::TensorId input : seen.inputs) inputs.push_back(input.value());
    return {{"tensor", seen.tensor.value()},
            {"nan", sighting_json(seen.nan)},
            {"infinite", sighting_json(seen.infinite)},
            {"kernel", seen.kernel ? Json((*seen.kernel).value()) : Json(nullptr)},
            {"inputs", inputs},
            {"means", {seen.means_nan, seen.means_infinite}}};
}

SeenTensor seen_tensor_from(Json const& json) {
    SeenTensor out{tensor_from(json.at("tensor")), sighting_from(json.at("nan")), sighting_from(json.at("infinite"))};
    if (Json const& kernel = json.at("kernel"); !kernel.is_null())
        out.kernel = schedule::KernelId{kernel.get<std::int32_t>()};
    for (Json const& input : json.at("inputs")) out.inputs.push_back(tensor_from(input));
    out.means_nan = json.at("means").at(0).get<bool>();
    out.means_infinite = json.at("means").at(1).get<bool>();
    return out;
}

}  // namespace

Json to_json(SeenNonFinite const& seen) {
    Json tensors = Json::array(), carries = Json::array();
    for (SeenTensor const& tensor : seen.tensors) tensors.push_back(tensor_json(tensor));
    for (CarriedTensor const& carry : seen.carries)
        carries.push_back({carry.loop.value(), carry.inside.value(), carry.next.value()});
    return {{"tensors", tensors}, {"carries", carries}};
}

SeenNonFinite seen_from_json(Json const& json) {
    SeenNonFinite out;
    for (Json const& tensor : json.at("tensors")) out.tensors.push_back(seen_tensor_from(tensor));
    for (Json const& carry : json.at("carries"))
        out.carries.push_back({schedule::LoopSpecId{carry.at(0).get<std::int32_t>()}, tensor_from(carry.at(1)),
                               tensor_from(carry.at(2))});
    return out;
}

}  // namespace ein::executor
