#include <algorithm>

#include "lib/graph/ops/op_reader.hpp"
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

OpEntry const* find_op(Cursor const& op) {
    auto const text = op.string();
    if (!text) return nullptr;
    std::vector<std::string> names;
    for (OpEntry const& entry : op_table()) {
        if (entry.name == *text) return &entry;
        names.emplace_back(entry.name);
    }
    op.fail(one_of(names), quote(*text), did_you_mean(*text, names, "write one of these, or an \"einsum\" node"));
    return nullptr;
}

}  // namespace

std::span<OpEntry const> op_table() {
    static std::vector<OpEntry> const table{
        {"softmax", 1, 1, {"axes", "axis", "dtype"}, read_softmax},
        {"log_softmax", 1, 1, {"axes", "axis", "dtype"}, read_log_softmax},
        {"logsumexp", 1, 1, {"axes", "axis", "keepdims", "dtype"}, read_logsumexp},
        {"mean", 1, 1, {"axes", "axis", "keepdims", "dtype"}, read_mean},
        {"var", 1, 1, {"axes", "axis", "keepdims", "ddof", "correction", "dtype"}, read_var},
        {"rms_norm", 1, 2, {"axes", "axis", "eps", "dtype"}, read_rms_norm},
        {"layer_norm", 1, 3, {"axes", "axis", "eps", "dtype"}, read_layer_norm},
        {"reshape", 1, 1, {"shape"}, read_reshape},
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

std::optional<ValueId> read_op(NodeContext& context) {
    OpEntry const* entry = find_op(context.node.at("op"));
    if (!entry) return std::nullopt;
    std::vector<std::string_view> keys{"name", "op", "inputs"};
    keys.insert(keys.end(), entry->attributes.begin(), entry->attributes.end());
    std::size_t const faults_before = context.node.faults().list().size();
    context.node.only_keys(keys);
    if (context.inputs.size() < entry->least_inputs || context.inputs.size() > entry->most_inputs)
        context.node.at("inputs").fail(inputs_expected(*entry), std::to_string(context.inputs.size()),
                                       "list the tensors that " + std::string(entry->name) + " reads");
    OpReader reader(context);
    bool const good = context.node.faults().list().size() == faults_before;
    if (!good) context.inputs.clear(), context.inputs.emplace_back();  // attributes are still checked
    return entry->read(reader);
}

}  // namespace ein::graph
