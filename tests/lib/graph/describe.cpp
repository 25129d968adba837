#include "tests/lib/graph/describe.hpp"

#include "lib/scalar/expression/parse/parse.hpp"

namespace ein::graph::test {
namespace {

std::string labels_text(EinSum const& einsum, std::vector<int> const& labels) {
    std::string text = "(";
    for (int label : labels) text += (text.size() == 1 ? "" : " ") + einsum.labels[static_cast<std::size_t>(label)];
    return text + ")";
}

std::string einsum_text(EinGraph const& graph, Node const& node, EinSum const& einsum) {
    std::string text;
    for (std::size_t k = 0; k < einsum.operands(); ++k)
        text += " " + graph.value(node.inputs[k]).name + labels_text(einsum, einsum.inputs[k]);
    scalar::Names names{static_cast<int>(einsum.operands()), einsum.labels, {}};
    for (auto const& [param, unused] : graph.params) names.params.push_back(param);
    return text + " -> " + labels_text(einsum, einsum.output) + " " + std::string(scalar::name(einsum.agg)) + " " +
           scalar::print(einsum.join, names);
}

std::string move_text(EinGraph const& graph, Node const& node, Move const& move) {
    std::string text;
    for (std::size_t k = 0; k < move.regions.size(); ++k) {
        text += " " + graph.value(node.inputs[k]).name + "[";
        for (std::size_t axis = 0; axis < move.regions[k].axes.size(); ++axis) {
            AxisMap const& map = move.regions[k].axes[axis];
            text +=
                (axis ? " " : "") + std::to_string(map.start) + (map.step == 1 ? "" : "/" + std::to_string(map.step));
        }
        text += "]->" + to_string(move.regions[k].box);
    }
    if (move.fill)
        text += " fill " + std::to_string(move.fill->is_integer ? static_cast<double>(move.fill->integer)
                                                                : move.fill->number.real())
                               .substr(0, 4);
    return text;
}

}  // namespace

std::string describe(EinGraph const& graph, Node const& node) {
    Value const& value = graph.value(node.output);
    std::string text = value.name + " " + std::string(name(value.dtype)) + to_string(value.shape) + " =";
    if (auto const* einsum = std::get_if<EinSum>(&node.op)) return text + einsum_text(graph, node, *einsum);
    if (auto const* move = std::get_if<Move>(&node.op)) return text + move_text(graph, node, *move);
    return text + " reshape " + graph.value(node.inputs[0]).name;
}

std::vector<std::string> describe(EinGraph const& graph) {
    std::vector<std::string> lines;
    for (Node const& node : graph.nodes) lines.push_back(describe(graph, node));
    return lines;
}

std::string node_text(std::string const& keys) {
    return R"({"eingraph": 1, "params": {"eta": 0.5}, "tensors": {
        "A": {"shape": [2, 3]}, "B": {"shape": [3, 4]}, "C": {"shape": [4, 5]}, "D": {"shape": [5, 5]},
        "v": {"shape": [3]},
        "n": {"shape": [3], "dtype": "i64"}, "n8": {"shape": [3], "dtype": "u8"}, "s": {"shape": []},
        "z": {"shape": [2, 3], "dtype": "c64"}, "t": {"shape": [1, 3]},
        "w": {"shape": [2, 3], "dtype": "f16"}, "e": {"shape": [0, 3]}, "b": {"shape": [3], "dtype": "bool"},
        "F": {"shape": [6, 6]}, "G": {"shape": [6, 6]}},
        "nodes": [{"name": "out", )" +
           keys + R"(}], "outputs": ["out"]})";
}

EinGraph one_node(std::string const& keys) { return read_graph(node_text(keys), "g.json"); }
std::vector<std::string> nodes_of(std::string const& keys) { return describe(one_node(keys)); }

std::vector<Fault> faults_of(std::string const& text) {
    try {
        read_graph(text, "g.json");
    } catch (InputError const& error) {
        return error.faults();
    }
    return {};
}

std::vector<Fault> node_faults(std::string const& keys) { return faults_of(node_text(keys)); }

std::string graph_format() {
    std::string text;
    for (char const* file : {"", "/einsum", "/ops", "/spellings", "/algebra"})
        text += read_text_file(std::string(EIN_DOCS "/graph-format") + file + ".md") + "\n";
    return text;
}

}  // namespace ein::graph::test
