#include "lib/graph/rest/graph_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lib/base/error.hpp"
#include "lib/graph/rest/einsum_text.hpp"
#include "lib/graph/rest/move_text.hpp"
#include "lib/graph/rest/source_text.hpp"
#include "lib/graph/rest/text_names.hpp"
#include "lib/graph/write_graph.hpp"

namespace ein::graph {
namespace {

/// The operand of a condition that is one number's being other than 0, as the format makes one of what "while" names.
std::optional<ValueId> number_asked(EinGraph const& graph, Node const& node) {
    auto const* einsum = std::get_if<EinSum>(&node.op);
    if (!einsum || einsum->operands() != 1 || !einsum->labels.empty() || einsum->join.op() != scalar::Op::ne ||
        graph.value(node.output).dtype != DType::boolean)
        return std::nullopt;
    auto const& args = einsum->join.args();
    bool const of_zero = args[0].op() == scalar::Op::operand && args[1] == scalar::Expr::integer(0);
    return of_zero && !einsum->compute ? std::optional(node.inputs[0]) : std::nullopt;
}

Json storage_json(Node const& node) {
    if (node.storage == StorageWish::none) return Json::object();
    return {{"sparse", node.storage == StorageWish::sparse}};
}

Json listing_json(Value const& value) {
    if (!value.listing) return Json::object();
    return {{"sparse", true}, {"fill", element_json(value.listing->fill, value.dtype)}};
}

class TextOfGraph {
public:
    TextOfGraph(EinGraph const& graph, FileName const& file_name)
        : graph_(graph),
          file_name_(file_name),
          names_(graph),
          writer_(graph.name),
          producers_(graph.producers()),
          consumers_(graph.consumers()) {}

    std::string write() {
        for (auto const& [name, value] : graph_.params) writer_.param(name, value);
        for (Leaf const& leaf : graph_.leaves) {
            Value const& value = graph_.value(leaf.value);
            writer_.tensor(names_.of(leaf.value, -1), value.shape,
                           source_json(leaf.source, value.shape, value.dtype, file_name_), value.dtype,
                           listing_json(value));
        }
        nodes(0, graph_.nodes.size(), -1);
        Json mesh = Json::object();
        for (MeshAxis const& axis : graph_.mesh) mesh[axis.name] = axis.size;
        writer_.mesh(mesh);
        for (ValueId output : graph_.outputs) write_output(output);
        return writer_.text();
    }

private:
    /// Nodes [first, end), which are in `loop`.
    void nodes(std::size_t first, std::size_t end, std::int32_t loop) {
        while (first < end) {
            Node const& node = graph_.nodes[first];
            std::int32_t const inner = graph_.loop_within(loop, node.loop);
            std::size_t next = first + 1;
            if (inner >= 0) {
                while (next < end && graph_.loop_within(loop, graph_.nodes[next].loop) == inner) ++next;
                write_loop(inner, first, next);
            } else if (names_.is_carry(node)) {
                check_copy(node);
            } else if (!is_only_condition(node)) {
                write_node(node, names_.of(node.output, loop));
            }
            first = next;
        }
    }

    void check_copy(Node const& node) const {
        auto const* einsum = std::get_if<EinSum>(&node.op);
        promise(einsum && is_copy(*einsum) && graph_.value(node.inputs[0]).dtype == graph_.value(node.output).dtype,
                "what a loop carries is no copy: '" + graph_.value(node.output).name + "'");
    }

    void write_loop(std::int32_t number, std::size_t first, std::size_t end) {
        Loop const& loop = graph_.loops[static_cast<std::size_t>(number)];
        writer_.begin_loop();
        nodes(first, end, number);
        Json json{{"carry", Json::object()}};
        for (std::size_t k = 0; k < loop.carries.size(); ++k) {
            std::string const& key = names_.key(number, k);
            Node const& inside = graph_.node(*producers_[at(loop.carries[k].inside)]);
            std::string const& begin = names_.of(inside.inputs[0], loop.outer);
            std::string const& next = names_.of(loop.carries[k].result, number);
            json["carry"][key] = begin == key ? Json(next) : Json{{"begin", begin}, {"next", next}};
            constrain(inside, names_.full(loop.outer, names_.of_loop(number) + "/" + key));
        }
        json[loop.condition ? "max" : "times"] = loop.iterations;
        if (loop.condition) json["while"] = names_.of(condition_of(*loop.condition), number);
        writer_.end_loop(names_.of_loop(number), json);
    }

    /// What "while" names.
    ValueId condition_of(ValueId condition) const {
        Node const& node = graph_.node(*producers_[at(condition)]);
        return is_only_condition(node) ? *number_asked(graph_, node) : condition;
    }
    /// Whether the format makes this node again of what "while" names, and nothing else reads it.
    bool is_only_condition(Node const& node) const {
        if (node.loop < 0 || !consumers_[at(node.output)].empty()) return false;
        return graph_.loops[static_cast<std::size_t>(node.loop)].condition == node.output &&
               number_asked(graph_, node).has_value();
    }

    void write_node(Node const& node, std::string const& name) {
        if (auto const* einsum = std::get_if<EinSum>(&node.op)) {
            std::vector<std::string> const inputs = operands(node, name, names_in(*einsum));
            Json keys = einsum_keys(graph_, node);
            keys.update(storage_json(node));
            writer_.einsum(name, subscripts_json(*einsum), inputs, keys);
        } else if (auto const* move = std::get_if<Move>(&node.op)) {
            std::vector<Shape> shapes;
            for (ValueId input : node.inputs) shapes.push_back(graph_.value(input).shape);
            Value const& made = graph_.value(node.output);
            write_move({name, *move, operands(node, name, {}), std::move(shapes), made.shape, made.dtype,
                        storage_json(node), listing_json(made)},
                       writer_, [&](std::string const& wanted) { return names_.fresh(wanted); });
        } else {
            Json keys{{"shape", graph_.value(node.output).shape}};
            keys.update(storage_json(node));
            writer_.op(name, "reshape", operands(node, name, {}), keys);
        }
        constrain(node, names_.full(node.loop, name));
    }

    /// What a node's inputs are called. One whose name means something else in the node's join is read through a copy.
    std::vector<std::string> operands(Node const& node, std::string const& name,
                                      std::vector<std::string> const& in_join) {
        std::vector<std::string> out;
        for (ValueId input : node.inputs) {
            out.push_back(names_.of(input, node.loop));
            if (std::find(in_join.begin(), in_join.end(), out.back()) == in_join.end()) continue;
            std::string const copy = names_.fresh(name + ":" + out.back());
            writer_.op(copy, "slice", {out.back()}, {{"slices", "..."}});
            out.back() = copy;
        }
        return out;
    }

    void constrain(Node const& node, std::string const& name) {
        if (node.sharding) return writer_.sharding(name, sharding_text(node));
        if (node.fixed.empty()) return;
        auto const* einsum = std::get_if<EinSum>(&node.op);
        std::vector<std::string> const labels = einsum ? written_labels(*einsum) : std::vector<std::string>{};
        Json parts = Json::object();
        for (std::size_t k = 0; k < node.fixed.size(); ++k)
            if (node.fixed[k] > 0) parts[einsum ? labels[k] : std::to_string(k)] = node.fixed[k];
        writer_.parts(name, parts);
    }

    /// "batch/dp seq d"
    std::string sharding_text(Node const& node) const {
        auto const& einsum = std::get<EinSum>(node.op);
        std::vector<std::string> const labels = written_labels(einsum);
        std::string text;
        for (std::size_t axis = 0; axis < einsum.output.size(); ++axis) {
            text += (axis > 0 ? " " : "") + labels[static_cast<std::size_t>(einsum.output[axis])];
            auto const& over = (*node.sharding)[axis];
            for (std::size_t k = 0; k < over.size(); ++k)
                text += (k > 0 ? "," : "/") + graph_.mesh[static_cast<std::size_t>(over[k])].name;
        }
        return text;
    }

    /// A loop may not call what it carries as the graph does: then a copy has that name.
    void write_output(ValueId output) {
        std::string const& wanted = graph_.value(output).name;
        std::string const& name = names_.of(output, -1);
        if (name != wanted) writer_.op(wanted, "slice", {name}, {{"slices", "..."}});
        writer_.output(wanted);
    }

    EinGraph const& graph_;
    FileName const& file_name_;
    TextNames names_;
    GraphWriter writer_;
    std::vector<std::optional<NodeId>> producers_;
    std::vector<std::vector<NodeId>> consumers_;
};

}  // namespace

std::string graph_text(EinGraph const& graph, FileName const& file_name) {
    return TextOfGraph(graph, file_name).write();
}

}  // namespace ein::graph
