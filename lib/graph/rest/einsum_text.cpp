#include "lib/graph/rest/einsum_text.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "lib/base/error.hpp"
#include "lib/base/limits.hpp"
#include "lib/graph/labels.hpp"
#include "lib/graph/read/einsum/read_join.hpp"
#include "lib/graph/read/fields.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::graph {
namespace {

/// Whether lists, joins and shardings take it as it is.
bool is_plain(std::string const& label) {
    bool const odd = std::any_of(label.begin(), label.end(), [](unsigned char c) {
        return c <= 32 || c == 127 || c == ',' || c == '[' || c == ']' || c == '/';
    });
    return !label.empty() && !odd && label.find("->") == std::string::npos && label.find("..") == std::string::npos;
}

/// The labels in the order in which the subscripts name them.
std::vector<int> as_they_come(EinSum const& einsum) {
    std::vector<int> order;
    std::vector<bool> seen(einsum.labels.size(), false);
    auto const add = [&](std::vector<int> const& term) {
        for (int label : term) {
            if (!seen[static_cast<std::size_t>(label)]) order.push_back(label);
            seen[static_cast<std::size_t>(label)] = true;
        }
    };
    for (auto const& term : einsum.inputs) add(term);
    add(einsum.output);
    return order;
}

bool is_letter(std::string const& label) {
    return label.size() == 1 && ((label[0] >= 'a' && label[0] <= 'z') || (label[0] >= 'A' && label[0] <= 'Z'));
}

std::string join_text(Node const& node, EinSum const& einsum) {
    std::int64_t const most_text = most(Limit::expression);
    bool const short_enough =
        einsum.join.node().written <= most_text && einsum.join.node().depth <= scalar::max_join_depth;
    std::string text;
    if (short_enough)
        text = scalar::print(einsum.join, {static_cast<int>(einsum.operands()), written_labels(einsum), {}});
    if (short_enough && static_cast<std::int64_t>(text.size()) <= most_text) return text;
    throw InputError(Fault{"node " + quote(node.name), "",
                           "a join that can be written in " + at_most(Limit::expression), "a longer or deeper one",
                           "split it into several nodes"});
}

}  // namespace

std::vector<std::string> written_labels(EinSum const& einsum) {
    std::unordered_set<std::string> taken(einsum.labels.begin(), einsum.labels.end());
    std::unordered_set<std::string> seen;
    std::vector<std::string> out;
    for (std::size_t k = 0; k < einsum.labels.size(); ++k) {
        std::string label = einsum.labels[k];
        if (!is_plain(label) || !seen.insert(label).second) {
            label = "l" + std::to_string(k);
            while (!taken.insert(label).second) label += '_';
        }
        out.push_back(std::move(label));
    }
    return out;
}

Json subscripts_json(EinSum const& einsum) {
    std::vector<std::string> const labels = written_labels(einsum);
    std::vector<int> const order = as_they_come(einsum);
    bool const in_order = std::is_sorted(order.begin(), order.end());
    auto const list = [&](std::vector<int> const& term) {
        Json out = Json::array();
        for (int label : term) out.push_back(labels[static_cast<std::size_t>(label)]);
        return out;
    };
    if (!in_order ||
        !std::all_of(labels.begin(), labels.end(), [](std::string const& label) { return is_letter(label); })) {
        Json out{{"in", Json::array()}, {"out", list(einsum.output)}};
        for (auto const& term : einsum.inputs) out["in"].push_back(list(term));
        if (!in_order) out["labels"] = labels;
        return out;
    }
    std::string text;
    for (std::size_t k = 0; k < einsum.operands(); ++k) {
        if (k > 0) text += ',';
        for (int label : einsum.inputs[k]) text += labels[static_cast<std::size_t>(label)];
    }
    text += "->";
    for (int label : einsum.output) text += labels[static_cast<std::size_t>(label)];
    return text;
}

Json einsum_keys(EinGraph const& graph, Node const& node) {
    auto const& einsum = std::get<EinSum>(node.op);
    Json keys = Json::object();
    if (!(einsum.join == product_of_all(einsum.operands()))) keys["join"] = join_text(node, einsum);
    if (einsum.agg != scalar::Agg::sum) keys["agg"] = scalar::name(einsum.agg);
    if (einsum.compute) keys["compute"] = name(*einsum.compute);
    std::vector<DType> inputs;
    for (ValueId input : node.inputs) inputs.push_back(graph.value(input).dtype);
    DType const dtype = graph.value(node.output).dtype;
    if (dtype != common_dtype(inputs)) keys["dtype"] = name(dtype);
    std::vector<std::string> const labels = written_labels(einsum);
    for (int label : einsum.output) {
        bool const in_input = std::any_of(einsum.inputs.begin(), einsum.inputs.end(),
                                          [&](std::vector<int> const& term) { return has_label(term, label); });
        auto const l = static_cast<std::size_t>(label);
        if (!in_input) keys["sizes"][labels[l]] = einsum.extents[l];
    }
    if (node.path) keys["path"] = *node.path;
    return keys;
}

std::vector<std::string> names_in(EinSum const& einsum) {
    std::vector<std::string> names = scalar::params_of(einsum.join);
    for (scalar::Expr const* const part : scalar::arguments_first(einsum.join))
        if (part->op() == scalar::Op::number && !std::isfinite(part->node().value.real()))
            names.emplace_back(std::isnan(part->node().value.real()) ? "nan" : "inf");
    return names;
}

}  // namespace ein::graph
