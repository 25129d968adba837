#include "lib/graph/read/gradient_form.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "lib/base/text/near_names.hpp"

namespace ein::graph {
namespace {

/// What others call the scalar, and the tensors that it is differentiated by.
constexpr std::array<std::string_view, 7> scalars{"of", "loss", "output", "outputs", "target", "scalar", "y"};
constexpr std::array<std::string_view, 10> tensors{"wrt",     "inputs",  "params",          "parameters", "variables",
                                                   "argnums", "weights", "with_respect_to", "by",         "x"};

bool is_among(std::string_view key, std::span<std::string_view const> names) {
    return std::ranges::find(names, key) != names.end();
}

/// The value of the first of these keys that a node has.
Json first_of(Json const& node, std::span<std::string_view const> names) {
    for (std::string_view const name : names)
        if (auto const found = node.find(std::string(name)); found != node.end()) return *found;
    return nullptr;
}

Json as_list(Json const& names) { return names.is_array() ? names : Json::array({names}); }

std::string form(Json const& of, Json const& wrt) {
    return "{\"of\": " + (of.is_string() ? brief(of) : "\"loss\"") +
           ", \"wrt\": " + (wrt.is_null() ? "[\"W\"]" : brief(as_list(wrt))) + "}";
}

/// What to write for a key that is none, where it says what "of" or "wrt" is to say.
std::string mend_of(Cursor const& grad, std::string const& key) {
    for (auto const& [name, others] :
         {std::pair<std::string, std::span<std::string_view const>>{"of", scalars}, {"wrt", tensors}}) {
        if (!is_among(key, others)) continue;
        return grad.has(name) ? "remove it: \"" + name + "\" says it" : "write \"" + name + "\" for it";
    }
    std::vector<std::string> const known{"of", "wrt"};
    return mend_name(key, known, "remove it if it means nothing, or begin it with x-");
}

}  // namespace

std::string gradient_form(Cursor const& node) {
    Json const& grad = node.at("grad").value();
    Json of = grad, wrt = first_of(node.value(), tensors);
    if (grad.is_array() && !grad.empty()) {
        of = grad.front();
        if (grad.size() > 1) wrt = Json(grad.begin() + 1, grad.end());
    }
    return form(of, wrt);
}

void check_gradient_keys(Cursor const& node) {
    Cursor const grad = node.at("grad");
    for (auto const& [key, unused] : grad.value().items())
        if (key != "of" && key != "wrt" && !key.starts_with("x-"))
            grad.at(key).fail("of or wrt", "the unknown key \"" + key + "\"", mend_of(grad, key));
    for (auto const& [key, value] : node.value().items()) {
        if (key == "name" || key == "grad" || key.starts_with("x-")) continue;
        bool const scalar = is_among(key, scalars), tensor = is_among(key, tensors);
        bool const within = (scalar && !grad.has("of")) || (tensor && !grad.has("wrt"));
        Json const of = grad.has("of") ? grad.at("of").value() : scalar ? value : Json();
        Json const wrt = grad.has("wrt") ? grad.at("wrt").value() : tensor ? value : Json();
        node.at(key).fail("name or grad", "the unknown key \"" + key + "\"",
                          within             ? "write it within: \"grad\": " + form(of, wrt)
                          : scalar || tensor ? "remove it: \"grad\" says what is differentiated, and by what"
                                             : "remove it if it means nothing, or begin it with x-");
    }
}

}  // namespace ein::graph
