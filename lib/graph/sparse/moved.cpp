#include "lib/graph/sparse/moved.hpp"

#include "lib/base/json.hpp"
#include "lib/graph/rest/source_text.hpp"
#include "lib/graph/sparse/make_dense.hpp"

namespace ein::graph {
namespace {

std::string quoted(Value const& value) { return "'" + value.name + "'"; }
std::string text(scalar::Scalar const& value, DType dtype) {
    std::string const out = element_json(value, dtype).dump();
    return out.ends_with(".0") ? out.substr(0, out.size() - 2) : out;
}

/// Whether a Move leaves places of its output to its own fill.
bool leaves_some(EinGraph const& graph, Node const& node) {
    auto const* const move = std::get_if<Move>(&node.op);
    if (move == nullptr) return false;
    Extent covered = 0;
    for (Move::Region const& region : move->regions) covered += region.box.elements();
    return covered != element_count(graph.value(node.output).shape);
}

struct MovedFill {
    std::optional<scalar::Scalar> fill;
    std::string problem;
};

MovedFill decide(EinGraph const& graph, Node const& node, std::vector<ValueId> const& inputs) {
    Value const* first = nullptr;
    for (ValueId input : inputs) {
        Value const& value = graph.value(input);
        if (!value.listing) return {{}, quoted(value) + " is dense"};
        if (first == nullptr) first = &value;
        if (!scalar::same_value(value.listing->fill, first->listing->fill))
            return {{},
                    "the fill of " + quoted(*first) + " is " + text(first->listing->fill, first->dtype) + ", that of " +
                        quoted(value) + " is " + text(value.listing->fill, value.dtype)};
    }
    if (first == nullptr) return {{}, "it moves nothing"};
    if (!leaves_some(graph, node)) return {first->listing->fill, ""};
    DType const dtype = graph.value(node.output).dtype;
    scalar::Scalar const around = std::get<Move>(node.op).fill.value_or(scalar::Scalar{});
    scalar::Scalar const stored = scalar::convert(around, around.is_integer ? DType::i64 : DType::c128, dtype);
    if (scalar::same_value(stored, first->listing->fill)) return {first->listing->fill, ""};
    return {{},
            "it pads with " + text(stored, dtype) + ", and the fill of " + quoted(*first) + " is " +
                text(first->listing->fill, first->dtype)};
}

}  // namespace

bool moves_elements(Node const& node) { return !std::holds_alternative<EinSum>(node.op); }

std::optional<scalar::Scalar> moved_fill(EinGraph const& graph, Node const& node) {
    return decide(graph, node, node.inputs).fill;
}

std::string why_moved_dense(EinGraph const& graph, Node const& node) {
    std::vector<ValueId> inputs;
    for (ValueId input : node.inputs) inputs.push_back(sparse_original(graph, input));
    return decide(graph, node, inputs).problem;
}

}  // namespace ein::graph
