#include "lib/graph/read/name_mends.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/text/letters.hpp"
#include "lib/graph/read/fields.hpp"

namespace ein::graph {
namespace {

bool is_word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string text_at(Json const& node, char const* key) {
    return node.is_object() && node.contains(key) && node[key].is_string() ? node[key].get<std::string>() : "";
}

bool join_reads(Json const& node, std::string const& name) {
    std::string const join = text_at(node, "join");
    for (std::size_t at = join.find(name); at != join.npos; at = join.find(name, at + 1)) {
        std::size_t const end = at + name.size();
        if ((at == 0 || !is_word_character(join[at - 1])) && (end == join.size() || !is_word_character(join[end])))
            return true;
    }
    return false;
}

Json const* body_of(Json const& node) {
    if (!node.is_object() || !node.contains("loop") || !node["loop"].is_object()) return nullptr;
    Json const& loop = node["loop"];
    return loop.contains("body") && loop["body"].is_array() ? &loop["body"] : nullptr;
}

/// The nodes whose joins read it, those of loops too.
void add_readers(Json const& nodes, std::string const& name, std::vector<Json const*>& out) {
    constexpr std::size_t most = 3;
    for (Json const& node : nodes) {
        if (out.size() == most) return;
        if (join_reads(node, name)) out.push_back(&node);
        if (Json const* const body = body_of(node)) add_readers(*body, name, out);
    }
}

/// The nodes of the list that `of` is computed by. Those of loops are none of them: gradients do not go there.
std::set<Json const*> upstream_of(Json const& nodes, std::string const& of) {
    std::map<std::string, Json const*> named;
    for (Json const& node : nodes)
        if (std::string const name = text_at(node, "name"); !name.empty() && body_of(node) == nullptr)
            named.emplace(name, &node);
    std::set<Json const*> found;
    std::vector<std::string> left{of};
    while (!left.empty()) {
        auto const node = named.find(left.back());
        left.pop_back();
        if (node == named.end() || !found.insert(node->second).second || !node->second->contains("inputs")) continue;
        Json const& inputs = (*node->second)["inputs"];
        if (inputs.is_string()) left.push_back(inputs.get<std::string>());
        if (!inputs.is_array()) continue;
        for (Json const& input : inputs)
            if (input.is_string()) left.push_back(input.get<std::string>());
    }
    return found;
}

/// "'w1' ("einsum": "j,j,->j")": with another input, of no axes.
std::string with_input(Json const& node) {
    std::string einsum = text_at(node, "einsum");
    std::size_t const arrow = einsum.find("->");
    if (!einsum.empty())
        einsum.insert(arrow == einsum.npos ? einsum.size() : einsum.find_last_not_of(' ', arrow - 1) + 1, ",");
    return quote(text_at(node, "name")) + (einsum.empty() ? "" : " (\"einsum\": \"" + einsum + "\")");
}

}  // namespace

std::string tensor_for_param(std::string const& name, double value) {
    std::string const number = std::isfinite(value)  ? Json(value).dump()
                               : std::isnan(value)   ? "\"nan\""
                               : std::signbit(value) ? "\"-inf\""
                                                     : "\"inf\"";
    return "\"tensors\": {" + Json(name).dump() + ": {\"shape\": [], \"data\": {\"fill\": " + number +
           "}}} in place of \"params\": {" + Json(name).dump() + ": " + number + "}";
}

std::string mend_gradient_by_param(Json const& nodes, std::string const& of, std::string const& name, bool in_loop,
                                   std::string const& tensor) {
    std::vector<Json const*> readers;
    add_readers(nodes, name, readers);
    std::set<Json const*> const upstream = upstream_of(nodes, of);
    bool direct = false;
    std::vector<std::string> texts;
    for (Json const* reader : readers) {
        direct = direct || upstream.contains(reader);
        texts.push_back(with_input(*reader));
    }
    std::string const as_input = texts.empty() ? ""
                                               : ", and add \"" + name + "\" to the inputs of " + joined(texts, ", ") +
                                                     ", whose join goes on reading it by name";
    if (direct) return "it is a param; to differentiate by it, write it as a tensor: " + tensor + as_input;
    bool const through_loop = in_loop || !readers.empty();
    if (!through_loop) return "it is a param that no join reads; correct the name";
    return "it is a param, and " + quote(of) + (in_loop ? " of one iteration" : "") + " does not read it" +
           (readers.empty() ? "" : ": " + quote(text_at(*readers[0], "name")) + " does") +
           ", so that it matters through iterations alone, which gradients do not go through; write the iterations as "
           "nodes in place of the loop (in Python a for loop writes them), with " +
           tensor + as_input;
}

std::string derived_mend(std::string const& name, std::vector<std::string> const& known) {
    auto const has = [&](std::string const& stem) { return std::ranges::find(known, stem) != known.end(); };
    auto const before = [&](std::size_t at) { return at == std::string::npos ? "" : name.substr(0, at); };
    std::string const stem = before(name.rfind('.')), whole = before(name.find('['));
    if ((name.ends_with(".npy") || name.ends_with(".npz")) && has(stem))
        return "write the name alone: \"" + stem + "\"";
    if (name.ends_with(".T") && has(stem))
        return "write \"" + stem + "\" and exchange its labels, as kj for jk, or make a node of it: {\"op\": " +
               "\"transpose\", \"inputs\": [\"" + stem + "\"]}";
    if (name.ends_with(']') && has(whole))
        return "make a node of it: {\"op\": \"slice\", \"inputs\": [\"" + whole + "\"], \"slices\": \"" +
               name.substr(whole.size() + 1, name.size() - whole.size() - 2) + "\"}";
    return "";
}

std::string gradient_meant(std::string const& name, std::vector<std::string> const& known) {
    std::vector<std::string> tensors;
    for (std::string const begin : {"d", "g_", "d_", "grad_", "grad/"})
        if (name.starts_with(begin)) tensors.push_back(name.substr(begin.size()));
    for (std::string const end : {"_grad", ".grad", "_g"})
        if (name.ends_with(end)) tensors.push_back(name.substr(0, name.size() - end.size()));
    if (auto const slash = name.rfind('/'); slash != std::string::npos) tensors.push_back(name.substr(slash + 1));
    for (std::string const& tensor : tensors)
        for (std::string const& other : known)
            if (!tensor.empty() && other.ends_with("/" + tensor)) return other;
    return "";
}

}  // namespace ein::graph
