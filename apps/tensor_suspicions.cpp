#include "apps/tensor_suspicions.hpp"

#include <cmath>
#include <optional>

#include "lib/base/json.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"

namespace ein::apps {
namespace {

constexpr std::size_t most_notes = 5;
constexpr std::size_t most_text = std::size_t{16} << 20;  // bytes of a graph that is looked through once more

bool rounds(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32; }

/// What becomes of a whole number that the type does not hold.
std::optional<double> rounded(double number, DType dtype) {
    if (!std::isfinite(number) || std::nearbyint(number) != number) return std::nullopt;
    double const kept =
        scalar::convert(scalar::Scalar::of(std::complex<double>(number)), DType::f64, dtype).number.real();
    return kept == number ? std::nullopt : std::optional(kept);
}

/// The first of nested lists that is not held. One with a point or an exponent is a real number, which rounds.
Json const* first_rounded(Json const& values, DType dtype) {
    std::vector<Json const*> open{&values};
    while (!open.empty()) {
        Json const& next = *open.back();
        open.pop_back();
        if (next.is_array())
            for (std::size_t k = next.size(); k-- > 0;) open.push_back(&next[k]);
        else if (next.is_number_integer() && rounded(next.get<double>(), dtype))
            return &next;
    }
    return nullptr;
}

std::string note_of_rounded(graph::Value const& value, Json const& number) {
    std::string const dtype(name(value.dtype));
    std::string const kept = Json(static_cast<std::int64_t>(*rounded(number.get<double>(), value.dtype))).dump();
    return "tensor '" + value.name + "': " + number.dump() + " is " + kept + " in " + dtype +
           ", which does not hold every whole number of that size; give it \"dtype\": \"i64\" or \"f64\"";
}

/// Without parsing the text again where no tensor asks for it.
void add_rounded(graph::EinGraph const& graph, std::string const& text, std::vector<std::string>& notes) {
    Json tensors;
    for (graph::Leaf const& leaf : graph.leaves) {
        graph::Value const& value = graph.value(leaf.value);
        bool const written = std::holds_alternative<tensor::ValuesSource>(leaf.source) ||
                             std::holds_alternative<tensor::FillSource>(leaf.source);
        if (!written || !rounds(value.dtype) || notes.size() >= most_notes) continue;
        if (tensors.is_null()) {
            Json const document = Json::parse(text, nullptr, false);
            if (!document.is_object()) return;
            tensors = document.value("tensors", Json::object());
        }
        Json const data = tensors.value(value.name, Json::object()).value("data", Json::object());
        for (char const* key : {"values", "fill"}) {
            if (!data.contains(key)) continue;
            if (Json const* number = first_rounded(data.at(key), value.dtype))
                notes.push_back(note_of_rounded(value, *number));
        }
    }
}

/// Of integers the upper end is left out, so that 0 to 1 is 0 alone.
void add_constant_random(graph::EinGraph const& graph, std::vector<std::string>& notes) {
    for (graph::Leaf const& leaf : graph.leaves) {
        graph::Value const& value = graph.value(leaf.value);
        auto const* const random = std::get_if<tensor::RandomSource>(&leaf.source);
        if (random == nullptr || random->distribution != tensor::Distribution::uniform || notes.size() >= most_notes)
            continue;
        double const least = std::ceil(random->a), most = std::ceil(random->b) - 1;
        if (!is_integer(value.dtype) || least != most || element_count(value.shape) < 2) continue;
        std::string const only = std::to_string(static_cast<std::int64_t>(least));
        notes.push_back("tensor '" + value.name + "': every element is " + only +
                        ", since \"high\" is left out of random numbers; for " + only + " and " +
                        std::to_string(static_cast<std::int64_t>(least) + 1) +
                        " write \"high\": " + std::to_string(static_cast<std::int64_t>(least) + 2));
    }
}

}  // namespace

std::vector<std::string> tensor_suspicions(graph::EinGraph const& graph, std::string const& text) {
    std::vector<std::string> notes;
    add_constant_random(graph, notes);
    if (text.size() <= most_text) add_rounded(graph, text, notes);
    return notes;
}

}  // namespace ein::apps
