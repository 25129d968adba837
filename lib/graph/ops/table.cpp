#include <algorithm>
#include <unordered_map>

#include "lib/base/text/module_names.hpp"
#include "lib/base/text/near_names.hpp"
#include "lib/graph/ops/op_reader.hpp"
#include "lib/graph/ops/recipes.hpp"
#include "lib/graph/read/einsum/named_agg.hpp"
#include "lib/graph/read/fields.hpp"

namespace ein::graph {
namespace {

constexpr std::size_t any_number = 1u << 20;

std::string inputs_expected(OpEntry const& entry) {
    std::string const least = std::to_string(entry.least_inputs);
    if (entry.least_inputs == entry.most_inputs) return least + (entry.least_inputs == 1 ? " input" : " inputs");
    if (entry.most_inputs == any_number) return least + " inputs or more";
    return least + " to " + std::to_string(entry.most_inputs) + " inputs";
}

/// Those with a reader of their own.
std::vector<OpEntry> const& own_rows() {
    static std::vector<OpEntry> const table{
        {"softmax", 1, 1, {"axes", "axis", "dtype"}, read_softmax},
        {"log_softmax", 1, 1, {"axes", "axis", "dtype"}, read_log_softmax},
        {"var", 1, 1, {"axes", "axis", "keepdims", "ddof", "correction", "dtype"}, read_aggregation},
        {"std", 1, 1, {"axes", "axis", "keepdims", "ddof", "correction", "dtype"}, read_aggregation},
        {"min", 1, any_number, {"axes", "axis", "keepdims", "dtype"}, read_least_or_greatest},
        {"max", 1, any_number, {"axes", "axis", "keepdims", "dtype"}, read_least_or_greatest},
        {"matmul", 2, 2, {"dtype"}, read_matmul},
        {"dot", 2, 2, {"dtype"}, read_dot},
        {"outer", 2, 2, {"dtype"}, read_outer},
        {"rms_norm", 1, 2, {"axes", "axis", "eps", "dtype"}, read_rms_norm},
        {"layer_norm", 1, 3, {"axes", "axis", "eps", "dtype"}, read_layer_norm},
        {"reshape", 1, 1, {"shape"}, read_reshape},
        {"squeeze", 1, 1, {"axes", "axis"}, read_squeeze},
        {"transpose", 1, 1, {"axes"}, read_transpose},
        {"cast", 1, 1, {"dtype"}, read_cast},
        {"slice", 1, 1, {"start", "stop", "step", "axes", "axis", "slices"}, read_slice},
        {"concat", 1, any_number, {"axis", "dtype"}, read_concat},
        {"pad", 1, 1, {"pad_width", "mode", "constant_values"}, read_pad},
        {"gather", 2, 2, {"axis"}, read_gather},
        {"one_hot", 1, 1, {"depth", "num_classes", "axis", "dtype"}, read_one_hot},
    };
    return table;
}

constexpr scalar::Taken taken[]{
    {"concatenate", "concat"}, {"cat", "concat"}, {"permute", "transpose"}, {"take", "gather"},
    {"astype", "cast"},        {"mm", "matmul"},  {"bmm", "matmul"},        {"mv", "matmul"},
};

constexpr scalar::Taken attributes[]{
    {"dim", "axis"},         {"dims", "axes"},   {"perm", "axes"},
    {"keepdim", "keepdims"}, {"epsilon", "eps"}, {"newshape", "shape"},
};

constexpr scalar::TwoMeanings ambiguous[]{
    {"embedding", "\"gather\" with \"inputs\": [table, indices]",
     "with the two exchanged, as PyTorch lists them: gather takes the table first"},
    {"view", "\"reshape\", as in PyTorch", "\"cast\", which converts (NumPy's view of another dtype is not there)"},
    {"flatten", "\"reshape\" with \"shape\": [-1], as NumPy and torch.flatten",
     "a \"reshape\" that keeps the first axis, as ONNX, Keras and nn.Flatten"},
    {"tensordot", "\"matmul\" of two matrices", "an \"einsum\", which names the axes that are summed over"},
    {"scatter", "a \"grad\" of a gather", "an \"einsum\" with where(y == [row], x, 0)"},
    {"jax.nn.gelu", "\"gelu\", the exact one, of approximate=False",
     "a \"join\": x/2*(1 + tanh(sqrt(2/pi)*(x + 0.044715*x^3))), its default"},
};

/// By a name, or by that of one library, which means another thing there.
scalar::TwoMeanings const* two_ops(std::string_view written) {
    for (std::string_view const name : {written, without_modules(written)}) {
        auto const found = std::ranges::find(ambiguous, name, &scalar::TwoMeanings::written);
        if (found != std::end(ambiguous)) return found;
    }
    return nullptr;
}

std::vector<OpEntry> make_table() {
    std::vector<OpEntry> table = own_rows();
    auto const add = [&](OpEntry row) {
        if (std::none_of(table.begin(), table.end(), [&](OpEntry const& other) { return other.name == row.name; }))
            table.push_back(std::move(row));
    };
    for (scalar::FunctionForm const& form : scalar::function_forms()) {
        std::size_t const most = std::min(form.most, any_number);
        if (table.back().name == form.name)  // with another number of arguments
            table.back().most_inputs = most;
        else
            add({form.name, form.least, most, {"dtype"}, read_elementwise});
    }
    static std::vector<std::string> const aggs = named_agg_names();
    for (std::string const& agg : aggs) add({agg, 1, 1, {"axes", "axis", "keepdims", "dtype"}, read_aggregation});
    return table;
}

using Rows = std::unordered_map<std::string_view, OpEntry const*>;

/// The rows by every name that they have: a function's spelling before an aggregation's.
Rows make_rows() {
    Rows rows;
    for (OpEntry const& entry : op_table()) rows.try_emplace(entry.name, &entry);
    for (auto const& spellings : {taken_ops(), taken_aggs()})
        for (scalar::Taken const& row : spellings) rows.try_emplace(row.written, rows.at(row.means));
    return rows;
}

Rows const& rows() {
    static Rows const table = make_rows();
    return table;
}

void tell_unknown(Cursor const& op, std::string const& text) {
    if (std::string const nodes = recipe_for(text); !nodes.empty())
        return op.fail("an op that is one of ours", quote(text), "write " + nodes);
    if (auto const* const row = two_ops(text))
        return op.fail("an op that means one thing", quote(text),
                       "write " + std::string(row->one) + ", or " + std::string(row->other));
    if (auto const meanings = scalar::two_meanings(without_modules(text)))
        return op.fail("an op that means one thing", quote(text),
                       "write a \"join\": " + std::string(meanings->one) + ", or " + std::string(meanings->other));
    std::vector<std::string> own, every;
    for (OpEntry const& entry : own_rows()) own.emplace_back(entry.name);
    for (auto const& [name, unused] : rows()) every.emplace_back(name);
    std::sort(every.begin(), every.end());
    op.fail(joined(own, ", ") + ", a function of joins or an aggregation", quote(text),
            mend_name(text, every, "write one of these, or an \"einsum\" node"));
}

OpEntry const* find_op(Cursor const& op) {
    auto const text = op.string();
    if (!text) return nullptr;
    OpEntry const* const row = two_ops(*text) == nullptr ? op_row(*text) : nullptr;
    if (row == nullptr) tell_unknown(op, *text);
    return row;
}

/// Whoever gives torch.transpose's two axes is shown every axis in its new order.
void tell_two_axes(NodeContext const& context, std::vector<std::string_view>& keys) {
    Cursor const& node = context.node;
    if (!node.has("dim0") || !node.has("dim1")) return;
    keys.insert(keys.end(), {"dim0", "dim1"});
    std::string mend = "write \"axes\": every axis in its new order";
    Json const &first = node.at("dim0").value(), &second = node.at("dim1").value();
    bool const known =
        !context.inputs.empty() && context.inputs[0] && first.is_number_integer() && second.is_number_integer();
    if (known) {
        auto const order = static_cast<std::int64_t>(context.graph.value(*context.inputs[0]).shape.size());
        auto const axis = [&](Json const& at) {
            return at.get<std::int64_t>() + (at.get<std::int64_t>() < 0 ? order : 0);
        };
        std::vector<std::string> axes;
        for (std::int64_t k = 0; k < order; ++k)
            axes.push_back(std::to_string(k == axis(first) ? axis(second) : k == axis(second) ? axis(first) : k));
        mend = "write \"axes\": [" + joined(axes, ", ") + "]";
    }
    node.at("dim0").fail("\"axes\"", "\"dim0\" and \"dim1\"", mend);
}

/// What a node may have: the attributes of its op under all their spellings.
std::vector<std::string_view> keys_of(OpEntry const& entry) {
    std::vector<std::string_view> keys{"name", "op", "inputs"};
    keys.insert(keys.end(), entry.attributes.begin(), entry.attributes.end());
    for (scalar::Taken const& row : attributes)
        if (std::find(entry.attributes.begin(), entry.attributes.end(), row.means) != entry.attributes.end())
            keys.push_back(row.written);
    keys.push_back("sparse");
    return keys;
}

}  // namespace

std::span<OpEntry const> op_table() {
    static std::vector<OpEntry> const table = make_table();
    return table;
}

OpEntry const* op_row(std::string_view written) {
    auto const found = rows().find(without_modules(written));
    return found == rows().end() ? nullptr : found->second;
}

std::span<scalar::Taken const> taken_ops() { return taken; }
std::span<scalar::Taken const> taken_attributes() { return attributes; }
std::span<scalar::TwoMeanings const> ambiguous_ops() { return ambiguous; }

std::optional<ValueId> read_op(NodeContext& context) {
    OpEntry const* entry = find_op(context.node.at("op"));
    if (!entry) return std::nullopt;
    std::size_t const faults_before = context.node.faults().list().size();
    std::vector<std::string_view> keys = keys_of(*entry);
    if (entry->name == "transpose") tell_two_axes(context, keys);
    only_node_keys(context.node, keys);
    if (context.inputs.size() < entry->least_inputs || context.inputs.size() > entry->most_inputs)
        context.node.at("inputs").fail(inputs_expected(*entry), std::to_string(context.inputs.size()),
                                       mend_inputs(entry->name));
    OpReader reader(context, entry->name);
    bool const good = context.node.faults().list().size() == faults_before;
    if (!good) context.inputs.clear(), context.inputs.emplace_back();  // attributes are still checked
    return entry->read(reader);
}

}  // namespace ein::graph
