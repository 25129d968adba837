#include "lib/base/json_kinds.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "lib/base/json.hpp"
#include "lib/base/text/letters.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein {
namespace {

template <class Holds>
bool all_of(Json const& found, Holds holds) {
    return !found.empty() && std::ranges::all_of(found, holds);
}

bool is_name(Json const& value) { return value.is_string(); }
bool is_scalar(Json const& value) { return value.is_string() || value.is_number() || value.is_boolean(); }
bool has_name(Json const& value) { return value.is_object() && value.contains("name") && is_name(value["name"]); }
bool is_pair(Json const& value) { return value.is_array() && value.size() == 2 && is_name(value[0]); }

/// The only entry of a list.
std::optional<Json> alone(Json const& found) {
    return found.is_array() && found.size() == 1 ? std::optional(found[0]) : std::nullopt;
}

/// The number that a string holds, and nothing else.
std::optional<std::string> number_in(Json const& found, JsonKind wanted) {
    if (!found.is_string()) return std::nullopt;
    auto const parts = number_and_unit(found.get<std::string>());
    bool const whole = parts && std::nearbyint(parts->number) == parts->number;
    if (!parts || !parts->unit.empty() || (wanted == JsonKind::integer && !whole)) return std::nullopt;
    return parts->written;
}

std::string mend_number(JsonKind wanted, Json const& found) {
    if (auto const written = number_in(found, wanted)) return "write " + *written + ", without quotes";
    if (auto const one = alone(found); one && one->is_number()) return "write " + brief(*one) + ", without brackets";
    if (wanted == JsonKind::integer && found.is_array() && all_of(found, is_name))
        return "write how many they are: " + std::to_string(found.size());
    return wanted == JsonKind::integer ? "write a whole number" : R"(write a number, or "inf", "-inf" or "nan")";
}

std::string mend_boolean(Json const& found) {
    std::string const text = found.is_string() ? lowered(found.get<std::string>()) : "";
    if (text == "true" || text == "yes" || text == "on" || found == Json(1)) return "write true";
    if (text == "false" || text == "no" || text == "off" || found == Json(0)) return "write false";
    return "write true or false";
}

/// What is no text but for its quotes: words in quotes mean something only where any name is one.
std::string mend_string(Json const& found, std::string const& otherwise) {
    if (auto const one = alone(found); one && is_name(*one)) return "write " + brief(*one) + ", without brackets";
    if (!otherwise.empty()) return otherwise;
    if (found.is_number() || found.is_boolean()) return "write it in quotes: \"" + found.dump() + "\"";
    if (found.is_array() && all_of(found, is_name)) return "write one of them alone, as " + brief(found[0]);
    return "write a text in quotes in its place";
}

std::string mend_object(Json const& found) {
    if (found.is_array() && all_of(found, has_name))
        return "write each under its name: {" + brief(found[0]["name"]) + ": {...}" +
               (found.size() > 1 ? ", ...}" : "}");
    if (found.is_array() && all_of(found, is_pair))
        return "write {" + brief(found[0][0]) + ": " + brief(found[0][1]) + (found.size() > 1 ? ", ...}" : "}");
    return "";
}

std::string mend_list(Json const& found) {
    if (is_scalar(found)) return "write it in brackets: [" + brief(found) + "]";
    if (has_name(found)) return "write it in brackets: [{\"name\": " + brief(found["name"]) + ", ...}]";
    if (!found.is_object()) return "";
    if (all_of(found, [](Json const& value) { return value.is_object(); }))
        return "write a list, each with its name in it: [{\"name\": " + brief(Json(found.begin().key())) + ", ...}" +
               (found.size() > 1 ? ", ...]" : "]");
    if (!all_of(found, is_name)) return "";
    Json values = Json::array();
    for (Json const& value : found) values.push_back(value);
    return "write a list: " + brief(values);
}

}  // namespace

std::string expected_text(JsonKind kind) {
    switch (kind) {
        case JsonKind::string: return "a string";
        case JsonKind::integer: return "an integer";
        case JsonKind::number: return "a number";
        case JsonKind::boolean: return "true or false";
        case JsonKind::object: return "an object";
        case JsonKind::list: break;
    }
    return "a list";
}

std::string mend_kind(JsonKind wanted, Json const& found, std::string const& otherwise) {
    std::string mend;
    switch (wanted) {
        case JsonKind::string: return mend_string(found, otherwise);
        case JsonKind::integer:
        case JsonKind::number: return mend_number(wanted, found);
        case JsonKind::boolean: return mend_boolean(found);
        case JsonKind::object: mend = mend_object(found); break;
        case JsonKind::list: mend = mend_list(found); break;
    }
    if (!mend.empty()) return mend;
    if (!otherwise.empty()) return otherwise;
    return wanted == JsonKind::object ? "write { ... }" : "write [ ... ]";
}

}  // namespace ein
