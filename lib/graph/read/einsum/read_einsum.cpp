#include <algorithm>
#include <array>

#include "lib/base/text/near_names.hpp"
#include "lib/graph/contract.hpp"
#include "lib/graph/labels.hpp"
#include "lib/graph/ops/recipes.hpp"
#include "lib/graph/read/einsum/bind_labels.hpp"
#include "lib/graph/read/einsum/join_mends.hpp"
#include "lib/graph/read/einsum/named_agg.hpp"
#include "lib/graph/read/einsum/read_join.hpp"
#include "lib/graph/read/einsum/read_path.hpp"
#include "lib/graph/read/einsum/subscripts.hpp"
#include "lib/graph/read/fields.hpp"
#include "lib/graph/read/node_context.hpp"

namespace ein::graph {
namespace {

std::optional<NamedAgg> read_agg(Cursor const& node) {
    auto const at = optional_at(node, "agg");
    if (!at) return named_agg("sum");
    auto const text = at->string("one name, as \"sum\", in a node for each");
    if (!text) return std::nullopt;
    if (auto const agg = named_agg(*text)) return agg;
    std::vector<std::string> const names = named_agg_names();
    if (std::string const nodes = recipe_for(*text); !nodes.empty()) {
        at->fail(one_of(names), quote(*text), "write " + nodes);
        return std::nullopt;
    }
    at->fail(one_of(names), quote(*text), mend_name(*text, names, "write one of these"));
    return std::nullopt;
}

/// What can be seen without the inputs' shapes.
struct Fields {
    std::optional<NamedAgg> agg;
    std::optional<DType> dtype, compute;
    std::optional<Subscripts> subscripts;
    std::optional<Path> path;
    std::vector<std::string> slices;  // labels that are to be sliced
};

void check_sizes(Cursor const& node) {
    auto const sizes = optional_at(node, "sizes");
    if (!sizes || !sizes->expect_object()) return;
    for (auto const& [key, unused] : sizes->value().items()) {
        auto const extent = sizes->at(key).integer();
        if (extent && *extent < 0)
            sizes->at(key).fail("an extent of 0 or more", std::to_string(*extent), "write the label's extent");
    }
}

Fields read_fields(NodeContext const& context) {
    Cursor const& node = context.node;
    constexpr std::array<std::string_view, 11> keys{"name",    "einsum", "inputs", "join",   "agg",   "dtype",
                                                    "compute", "sizes",  "path",   "slices", "sparse"};
    only_node_keys(node, keys);
    Fields fields;
    fields.agg = read_agg(node);
    if (auto const at = optional_at(node, "dtype")) fields.dtype = read_dtype(*at);
    if (auto const at = optional_at(node, "compute")) fields.compute = read_dtype(*at);
    if (auto const at = optional_at(node, "join")) at->string();
    check_sizes(node);
    if (auto const at = optional_at(node, "path")) fields.path = read_path(*at, context.inputs.size());
    if (auto const at = optional_at(node, "slices")) fields.slices = read_slices(*at);
    std::vector<std::optional<std::size_t>> orders;
    for (auto const& input : context.inputs)
        orders.push_back(input ? std::optional(context.graph.value(*input).shape.size()) : std::nullopt);
    fields.subscripts = read_subscripts(node.at("einsum"), orders);
    return fields;
}

/// What a join may call the operands: a node without one asks for nothing.
std::vector<std::string> names_of_inputs(NodeContext const& context) {
    return context.node.has("join") ? context.input_names() : std::vector<std::string>{};
}

/// A join may use another tensor's elements by its name only when the node reads it.
std::optional<Join> read_join(NodeContext const& context, Subscripts const& subscripts, scalar::Names const& names) {
    Faults told("");
    Cursor const node(context.node.value(), told, context.node.pointer());
    auto join = graph::read_join(node, names, [&](std::string_view text, std::vector<scalar::ParseFault>& faults) {
        bool const sums = !node.has("agg") || node.at("agg").value() == "sum";
        mend_join(text, names, {context.name, context.input_names(), subscripts, sums}, faults);
    });
    for (Fault const& fault : told.list()) {
        std::string const& found = fault.found;
        bool const quoted = found.size() > 2 && found.front() == '\'' && found.back() == '\'';
        std::string const name = quoted ? found.substr(1, found.size() - 2) : "";
        bool const tensor =
            !name.empty() && context.graph.is_reserved(name) && !fault.fix.starts_with("write [");  // of a label
        std::string const mend = "it is a tensor that this node does not read: add \"" + name +
                                 "\" to \"inputs\", and a term for it to \"einsum\"";
        auto const caret = fault.fix.find('\n');
        context.node.faults().add(
            fault.where, fault.expected, found,
            tensor ? mend + (caret == std::string::npos ? "" : fault.fix.substr(caret)) : fault.fix);
    }
    return join;
}

/// With inputs of unknown shape the join's names can still be checked.
void check_join_names(NodeContext const& context, Subscripts const& subscripts) {
    scalar::Names names{static_cast<int>(context.inputs.size()), {}, context.params, {}, names_of_inputs(context)};
    auto add = [&](Subscripts::Term const& term) {
        for (std::string const& label : term)
            if (label != ellipsis && std::find(names.labels.begin(), names.labels.end(), label) == names.labels.end())
                names.labels.push_back(label);
    };
    for (auto const& term : subscripts.inputs) add(term);
    add(subscripts.output);
    names.extents.assign(names.labels.size(), 1);
    read_join(context, subscripts, names);
}

bool check_complex(Cursor const& node, NamedAgg const& agg, DType join) {
    if (!is_complex(join) || !scalar::info(agg.agg).ordered) return true;
    node.at("agg").fail("sum, prod, any or all of complex numbers",
                        node.at("agg").value().get<std::string>() + " (they have no order)",
                        "take abs(), real() or imag() in \"join\"");
    return false;
}

/// min and max of nothing have no value, as in NumPy.
bool check_not_empty(Cursor const& node, NamedAgg const& agg, EinSum const& einsum) {
    if (!scalar::info(agg.agg).needs_elements) return true;
    Shape const shape = einsum.output_shape();
    if (!agg.one_label && std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
    for (int label : einsum.aggregated()) {
        if (einsum.extents[static_cast<std::size_t>(label)] != 0) continue;
        std::string const quoted = quote(einsum.labels[static_cast<std::size_t>(label)]);
        node.at("agg").fail("an aggregated label of extent 1 or more", "label " + quoted + " of extent 0",
                            node.at("agg").value().get<std::string>() +
                                " of no elements has no value: use another aggregation or a longer axis");
        return false;
    }
    return true;
}

bool check_one_label(Cursor const& node, EinSum const& einsum) {
    std::size_t const count = einsum.aggregated().size();
    if (count == 1) return true;
    node.at("agg").fail("exactly one label that the output lacks", std::to_string(count),
                        count == 0 ? "remove a label from the output"
                                   : "reshape so that these axes become one, or keep all but one in the output");
    return false;
}

/// Whether a join may run in the type that the file gives: operands become it without loss, and devices compute in it.
bool check_compute(Cursor const& node, NamedAgg const& agg, std::optional<DType> compute,
                   std::vector<DType> const& inputs) {
    if (!compute) return true;
    DType const least = compute_dtype({}, common_dtype(inputs));
    if (!scalar::agg_from_name(agg.name)) {
        node.at("compute").fail("no \"compute\" beside \"" + std::string(agg.name) + "\"", "it",
                                "remove it: this aggregation becomes several nodes");
        return false;
    }
    if (compute_dtype({}, *compute) == *compute && promote(least, *compute) == *compute) return true;
    node.at("compute").fail("a type that holds operands of " + std::string(name(least)) + ", not f16 or bf16",
                            quote(std::string(name(*compute))),
                            "write " + std::string(name(least)) + ", or a wider one");
    return false;
}

bool check_path(Cursor const& node, NamedAgg const& agg, EinSum const& einsum) {
    bool const follows = contracts_pairwise(einsum) && !agg.own_join;
    if (!node.has("path") || einsum.operands() < 3 || follows) return true;
    node.at("path").fail("a join over which the aggregation distributes (sum of products, min of sums, ...)",
                         "another one", "remove \"path\": this node runs as one");
    return false;
}

/// Labels that are aggregated by a product that is contracted pairwise: only these can be run through one by one.
bool check_slices(Cursor const& node, std::vector<std::string> const& slices, EinSum const& einsum) {
    if (slices.empty()) return true;
    Cursor const at = node.at("slices");
    if (einsum.operands() < 3 || !contracts_pairwise(einsum) || einsum.agg == scalar::Agg::logsumexp) {
        at.fail("three operands or more, a join over which the aggregation distributes, and no logsumexp",
                "another node", "remove \"slices\": this node has none");
        return false;
    }
    bool sound = true;
    for (std::size_t k = 0; k < slices.size(); ++k) {
        auto const label = std::find(einsum.labels.begin(), einsum.labels.end(), slices[k]);
        bool const known = label != einsum.labels.end();
        bool const kept = known && has_label(einsum.output, static_cast<int>(label - einsum.labels.begin()));
        if (known && !kept) continue;
        entry_at(at, k).fail(
            "a label that the result lacks", quote(slices[k]) + (known ? ", which it has" : ""),
            known ? "remove it: what is as large as the result stays so" : "write a label of an input");
        sound = false;
    }
    return sound;
}

class EinsumLowering {
public:
    EinsumLowering(NodeContext& context, Fields fields)
        : context_(context), fields_(std::move(fields)), builder_(context.graph, context.name) {
        for (auto const& input : context.inputs) inputs_.push_back(*input);
    }

    std::optional<ValueId> lower() {
        std::vector<Value const*> values;
        for (ValueId input : inputs_) values.push_back(&builder_.value(input));
        auto bound = bind_labels(*fields_.subscripts, values, context_.node);
        if (!bound) return std::nullopt;
        for (ValueId input : inputs_) dtypes_.push_back(builder_.value(input).dtype);

        EinSum einsum{bound->labels,
                      bound->extents,
                      bound->inputs,
                      bound->output,
                      {},
                      fields_.agg ? fields_.agg->agg : scalar::Agg::sum};
        DType const common = common_dtype(dtypes_);
        NamedAgg const agg = fields_.agg.value_or(*named_agg("sum"));
        DType const output = fields_.dtype.value_or(agg.result(common)), inside = agg.inside(common, output);
        auto const join = complete(einsum, inside);
        if (!join) return builder_.placeholder(einsum.output_shape(), output);
        context_.written = {einsum, agg.name, *join, output};
        squeeze(bound->squeezed);
        std::size_t const first = context_.graph.graph().nodes.size(), operands = einsum.operands();
        ValueId const made = agg.lower({builder_, std::move(einsum), inputs_, inside, output, fields_.path});
        if (!fields_.slices.empty()) context_.graph.slice_contractions(first, operands, fields_.slices);
        return made;
    }

private:
    /// Reads the join and checks everything that depends on it.
    /// @return the join's type; nothing when there are faults
    std::optional<DType> complete(EinSum& einsum, DType output) {
        auto join = read_join(context_, *fields_.subscripts,
                              {static_cast<int>(inputs_.size()),
                               einsum.labels,
                               context_.params,
                               {einsum.extents.begin(), einsum.extents.end()},
                               names_of_inputs(context_)});
        if (!join || !fields_.agg) return std::nullopt;
        einsum.join = join->expr;
        Cursor const& node = context_.node;
        if (!check_compute(node, *fields_.agg, fields_.compute, dtypes_)) return std::nullopt;
        einsum.compute = fields_.compute;
        auto const type = check_join_type(node, *join, dtypes_, output, fields_.compute);
        bool const sound = type && check_complex(node, *fields_.agg, *type) &&
                           (!fields_.agg->one_label || check_one_label(node, einsum)) &&
                           check_not_empty(node, *fields_.agg, einsum) && check_path(node, *fields_.agg, einsum) &&
                           check_slices(node, fields_.slices, einsum);
        return sound ? type : std::nullopt;
    }

    /// Drops the axes that broadcast, so that an EinSum's operands have exactly its extents.
    void squeeze(std::vector<std::vector<std::size_t>> const& squeezed) {
        for (std::size_t k = 0; k < inputs_.size(); ++k)
            inputs_[k] = builder_.drop_axes("squeeze" + std::to_string(k), inputs_[k], squeezed[k]);
    }

    NodeContext& context_;
    Fields fields_;
    NodeBuilder builder_;
    std::vector<ValueId> inputs_;
    std::vector<DType> dtypes_;
};

}  // namespace

std::optional<ValueId> read_einsum(NodeContext& context) {
    Fields fields = read_fields(context);
    if (!fields.subscripts) return std::nullopt;
    if (context.inputs_known()) return EinsumLowering(context, std::move(fields)).lower();
    check_join_names(context, *fields.subscripts);
    return std::nullopt;
}

}  // namespace ein::graph
