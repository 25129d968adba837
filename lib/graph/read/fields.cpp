#include "lib/graph/read/fields.hpp"

#include <algorithm>

#include "lib/base/text/letters.hpp"
#include "lib/graph/read/tuning.hpp"

namespace ein::graph {

std::optional<Cursor> required(Cursor const& object, std::string const& key, std::string const& fix) {
    if (object.has(key)) return object.at(key);
    object.fail("the key \"" + key + "\"", "none", fix);
    return std::nullopt;
}

void only_node_keys(Cursor const& node, std::span<std::string_view const> known) {
    std::vector<std::string_view> keys(known.begin(), known.end());
    for (std::string_view const key : {"parts", "sharding"}) {
        std::string const written(key);
        if (!node.has(written) || std::ranges::find(known, key) != known.end()) continue;
        keys.push_back(key);
        bool const named = node.has("name") && node.at("name").value().is_string();
        std::string const name = named ? node.at("name").value().get<std::string>() : "C";
        node.at(written).fail("\"" + written + "\" at the top of the file", "it in a node",
                              "move it beside \"nodes\": \"" + written + "\": {\"" + name +
                                  "\": " + brief(node.at(written).value()) + "}");
    }
    for (std::string_view const key : {"join", "agg"}) {
        std::string const written(key);
        if (!node.has("op") || !node.has(written) || std::ranges::find(known, key) != known.end()) continue;
        keys.push_back(key);
        node.at(written).fail("no \"" + written + "\" in an op", "one",
                              "write a node of its own: {\"einsum\": \"...->...\", \"inputs\": [NAME], \"" + written +
                                  "\": " + brief(node.at(written).value()) + "}");
    }
    node.only_keys(keys);
}

std::optional<Cursor> optional_at(Cursor const& object, std::string const& key) {
    return object.has(key) ? std::optional(object.at(key)) : std::nullopt;
}

std::string quote(std::string_view text) {
    return "'" + std::string(text.substr(0, tuning::longest_quote)) +
           (text.size() > tuning::longest_quote ? "...'" : "'");
}

std::optional<DType> read_dtype(Cursor const& at) {
    auto const text = at.string();
    if (!text) return std::nullopt;
    auto const dtype = dtype_from_name(*text);
    bool const of_two = !meanings_of_dtype(lowered(*text)).empty();
    if (!dtype)
        at.fail(of_two ? "a dtype that means one thing" : "a dtype (" + dtype_names() + ")", quote(*text),
                mend_dtype(*text));
    return dtype;
}

std::optional<std::vector<Cursor>> one_or_more(Cursor const& at) {
    if (at.value().is_string() || at.value().is_number()) return std::vector{at};
    if (!at.expect_list()) return std::nullopt;
    std::vector<Cursor> entries;
    entries.reserve(at.size());
    for (std::size_t k = 0; k < at.size(); ++k) entries.push_back(at.at(k));
    return entries;
}

Cursor entry_at(Cursor const& at, std::size_t k) { return at.value().is_array() ? at.at(k) : at; }

namespace {

/// "600x400", "(600, 400)": whole numbers and what people write between them. Empty for other texts.
std::vector<std::string> numbers_in(std::string const& text) {
    std::vector<std::string> numbers;
    bool inside = false;
    for (char const c : text) {
        bool const digit = c >= '0' && c <= '9';
        if (!digit && std::string_view(" x*,()[]").find(c) == std::string_view::npos) return {};
        if (digit && !inside) numbers.emplace_back();
        if (digit) numbers.back() += c;
        inside = digit;
    }
    return numbers;
}

}  // namespace

std::optional<Shape> read_shape(Cursor const& at) {
    if (at.value().is_string()) {
        auto const numbers = numbers_in(at.value().get<std::string>());
        at.fail("a list of extents", brief(at.value()),
                "write " + (numbers.empty() ? "the extent of each axis: [4, 3]" : "[" + joined(numbers, ", ") + "]"));
        return std::nullopt;
    }
    auto const extents = one_or_more(at);
    if (!extents) return std::nullopt;
    if (extents->size() > max_order) {
        at.fail("at most " + std::to_string(max_order) + " extents", std::to_string(extents->size()), "merge axes");
        return std::nullopt;
    }
    Shape shape;
    for (Cursor const& each : *extents) {
        auto const extent = each.integer();
        if (extent && *extent < 0)
            each.fail("an extent of 0 or more", std::to_string(*extent), "write the axis's length");
        if (extent && *extent >= 0) shape.push_back(*extent);
    }
    return shape.size() == extents->size() ? std::optional(shape) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> read_integers(Cursor const& at) {
    auto const entries = one_or_more(at);
    if (!entries) return std::nullopt;
    std::vector<std::int64_t> list;
    for (Cursor const& each : *entries) {
        if (each.value().is_string())  // a label, as in einsums
            each.fail("a whole number", brief(each.value()),
                      "count from 0: the first axis is 0, the second 1, the last also -1");
        else if (auto const number = each.integer())
            list.push_back(*number);
    }
    return list.size() == entries->size() ? std::optional(list) : std::nullopt;
}

std::optional<std::string> read_name(Cursor const& at) {
    auto name = at.string();
    if (!name) return std::nullopt;
    bool const control = std::any_of(name->begin(), name->end(), [](unsigned char c) { return c < 32 || c == 127; });
    if (!name->empty() && !control) return name;
    at.fail("a name", name->empty() ? "an empty string" : "one with control characters",
            "write a name of visible characters");
    return std::nullopt;
}

std::string mend_carried_shape(Shape const& begins, Shape const& ends) {
    auto const squeezed = [](Shape shape) { return std::erase(shape, 1), shape; };
    if (squeezed(begins) != squeezed(ends)) return "an iteration must end with what the next can begin with";
    return "begin with \"shape\": " + index_text(ends) +
           ", or end with {\"op\": \"reshape\", \"shape\": " + index_text(begins) + "}";
}

}  // namespace ein::graph
