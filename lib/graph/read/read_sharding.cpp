#include "lib/graph/read/read_sharding.hpp"
#include "lib/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "lib/base/text/near_names.hpp"
#include "lib/graph/read/fields.hpp"
#include "lib/graph/read/tuning.hpp"

namespace ein::graph {
namespace {

std::vector<std::string> names_of(Mesh const& mesh) {
    std::vector<std::string> names;
    for (MeshAxis const& axis : mesh) names.push_back(axis.name);
    return names;
}

std::vector<std::string> split(std::string const& text, char between) {
    std::vector<std::string> out(1);
    for (char c : text)
        if (c == between)
            out.emplace_back();
        else
            out.back() += c;
    return out;
}

std::string quote_text(std::string const& text) { return "\"" + text + "\""; }

std::vector<std::string> words_of(std::string const& text) {
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string word; in >> word;) out.push_back(word);
    return out;
}

/// One word, as "ff/tp" or "batch/dp,sp".
struct AxisText {
    std::string label;
    std::vector<std::string> over;
};
AxisText axis_text(std::string const& word) {
    std::size_t const slash = word.find('/');
    if (slash == std::string::npos) return {word, {}};
    return {word.substr(0, slash), split(word.substr(slash + 1), ',')};
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }
bool opens(char c) { return c == '(' || c == '['; }
bool closes(char c) { return c == ')' || c == ']'; }

/// Without what encloses all of it: "'dp', None" of "P('dp', None)".
std::string_view unwrapped(std::string_view text) {
    while (text.ends_with(' ')) text.remove_suffix(1);
    auto const begin = std::ranges::find_if_not(text, is_word);
    if (begin == text.end() || !opens(*begin) || !closes(text.back())) return text;
    return text.substr(static_cast<std::size_t>(begin - text.begin()) + 1).substr(0, text.end() - begin - 2);
}

/// What cuts each axis of a tensor, as a list has it: ["dp", null] of "P('dp', None)", [["dp", "tp"]] of "('dp',
/// 'tp'),".
Json specified(std::string_view text) {
    text = unwrapped(text);
    Json axes = Json::array();
    bool in_group = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (opens(text[at])) axes.push_back(Json::array());
        in_group = opens(text[at]) || (in_group && !closes(text[at]));
        std::size_t const begin = at;
        while (at < text.size() && is_word(text[at])) ++at;
        if (at == begin) continue;
        std::string const word(text.substr(begin, at-- - begin));
        Json const cuts = word == "None" || word == "null" ? Json() : Json(word);
        (in_group ? axes.back() : axes).push_back(cuts);
    }
    return axes;
}

class ShardingReader {
public:
    ShardingReader(Cursor const& entry, Mesh const& mesh, Value const& value, std::vector<std::string> const& labels)
        : entry_(entry), mesh_(mesh), names_(names_of(mesh)), value_(value), labels_(labels), user_(mesh.size()) {}

    std::optional<LabelledSharding> read() {
        auto const text = entry_.string(as_words(entry_.value()));
        if (!text) return std::nullopt;
        if (is_specification(*text)) {
            entry_.fail("a word for each axis: its label, and behind / the axes of the mesh that cut it", quote(*text),
                        "write it as " + as_words(specified(*text)));
            return std::nullopt;
        }
        std::vector<std::string> const words = words_of(*text);
        if (words.size() != value_.shape.size()) {
            entry_.fail(
                std::to_string(value_.shape.size()) + " words, one for each axis of shape " + to_string(value_.shape),
                std::to_string(words.size()) + " in " + quote(*text), "name every axis: \"batch/dp seq d\"");
            return std::nullopt;
        }
        LabelledSharding out;
        for (std::size_t axis = 0; axis < words.size(); ++axis) {
            AxisText const word = axis_text(words[axis]);
            out.labels.push_back(word.label);
            out.axes.push_back(read_axis(axis, word));
        }
        return good_ ? std::optional(out) : std::nullopt;
    }

private:
    /// A PartitionSpec as Python writes it, or axes of the mesh where labels stand: "P('dp', None)", "dp None".
    bool is_specification(std::string const& text) const {
        if (text.find_first_of("()[]") != text.npos) return true;
        return labels_.empty() && std::ranges::any_of(words_of(text), [&](std::string const& word) {
                   return std::ranges::find(names_, word.substr(0, word.find(','))) != names_.end();
               });
    }

    /// How a list is written, as of JAX's PartitionSpec: ["dp", null] is "a/dp b".
    std::string as_words(Json const& found) const {
        std::size_t const order = value_.shape.size();
        bool const fits = found.is_array() && !found.empty() && found.size() <= order && order <= 26;
        std::vector<std::string> words;
        for (std::size_t axis = 0; fits && axis < order; ++axis) {
            std::string word = labels_.empty() ? std::string(1, static_cast<char>('a' + axis)) : labels_[axis];
            std::vector<std::string> over;
            Json const cuts = axis < found.size() ? found[axis] : Json();  // those that it does not name are whole
            for (Json const& each : cuts.is_array() ? cuts : Json::array({cuts}))
                if (each.is_string()) over.push_back(each.get<std::string>());
            words.push_back(std::move(word += over.empty() ? "" : "/" + joined(over, ",")));
        }
        return quote_text(fits ? joined(words, " ") : "batch/dp seq d") + ", a word for each axis";
    }

    std::vector<int> read_axis(std::size_t axis, AxisText const& text) {
        if (text.label.empty())
            fail("a label before '/'", "none for axis " + std::to_string(axis), "name the axis: \"batch/dp\"");
        else if (!labels_.empty() && text.label != labels_[axis])
            fail("the node's labels in their order: " + quote(joined(labels_, " ")),
                 quote(text.label) + " for axis " + std::to_string(axis), "write " + quote(labels_[axis]));
        std::vector<int> over;
        std::int64_t parts = 1;
        for (std::string const& name : text.over) {
            auto const found = std::find(names_.begin(), names_.end(), name);
            if (found == names_.end()) {
                fail("axes of the mesh: " + (names_.empty() ? "it has none" : one_of(names_)), quote(name),
                     mend_name(name, names_, "add it to \"mesh\", or correct the name"));
                continue;
            }
            auto const number = static_cast<std::size_t>(found - names_.begin());
            if (user_[number])
                fail("each axis of the mesh once in a tensor",
                     quote(name) + " at " + quote(*user_[number]) + " and at " + quote(text.label),
                     "take it away from one of them: no rank can have a part of both");
            user_[number] = text.label;
            over.push_back(static_cast<int>(number));
            parts *= mesh_[number].size;
        }
        if (good_ && parts > std::max<Extent>(1, value_.shape[axis]))
            fail("an axis of at least " + std::to_string(parts) + " to cut " + quote(text.label) + " over the mesh",
                 "an extent of " + std::to_string(value_.shape[axis]), "cut another axis, or use a smaller mesh");
        return over;
    }

    void fail(std::string const& expected, std::string const& found, std::string const& fix) {
        entry_.fail(expected, found, fix);
        good_ = false;
    }

    Cursor entry_;
    Mesh const& mesh_;
    std::vector<std::string> names_;
    Value const& value_;
    std::vector<std::string> const& labels_;
    std::vector<std::optional<std::string>> user_;  // of each mesh axis: the label that it cuts
    bool good_ = true;
};

bool usable_name(std::string const& name) {
    return !name.empty() && std::none_of(name.begin(), name.end(),
                                         [](unsigned char c) { return c <= ' ' || c == 127 || c == '/' || c == ','; });
}

}  // namespace

Mesh read_mesh(Cursor const& at) {
    Mesh mesh;
    if (!at.expect_object(R"({"dp": 2, "tp": 4})")) return mesh;
    std::int64_t ranks = 1;
    for (auto const& [name, unused] : at.value().items()) {
        if (name.starts_with("x-")) continue;
        auto const size = at.at(name).integer();
        if (!usable_name(name))
            at.at(name).fail("a name without spaces, '/' and ','", quote(name), "rename the axis: \"dp\"");
        if (!size) continue;
        if (*size < 1 || *size > tuning::most_mesh_ranks / ranks) {
            at.at(name).fail(
                "1 rank or more, and at most " + std::to_string(tuning::most_mesh_ranks) + " in the whole mesh",
                std::to_string(*size), "write how many ranks there are along the axis");
            continue;
        }
        ranks *= *size;
        mesh.push_back({name, *size});
    }
    return mesh;
}

std::optional<LabelledSharding> read_sharding(Cursor const& entry, Mesh const& mesh, Value const& value,
                                              std::vector<std::string> const& labels) {
    return ShardingReader(entry, mesh, value, labels).read();
}

bool check_agreement(Cursor const& entry, Mesh const& mesh, Sharding const& sharding, Node const& node,
                     std::string const& name) {
    if (node.fixed.empty()) return true;
    Parts const wanted = parts_of(mesh, sharding);
    auto const* einsum = std::get_if<EinSum>(&node.op);
    bool good = true;
    for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
        auto const label = einsum ? static_cast<std::size_t>(einsum->output[axis]) : axis;
        if (node.fixed[label] == 0 || node.fixed[label] == wanted[axis]) continue;
        std::string const known = cut_name(node, label);
        entry.fail("no contradiction to /parts/" + name + "/" + known + ", which wants " + quote(known) + " in " +
                       std::to_string(node.fixed[label]) + " parts",
                   quote(known) + " in " + std::to_string(wanted[axis]) + " over the mesh",
                   "make the two agree, or remove one");
        good = false;
    }
    return good;
}

}  // namespace ein::graph
