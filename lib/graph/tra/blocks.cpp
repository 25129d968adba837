#include "lib/graph/tra/blocks.hpp"

#include <algorithm>
#include <numeric>

#include "lib/base/error.hpp"

namespace ein::graph {
namespace {

Shape extents_of(Blocks const& blocks, std::vector<int> const& labels) {
    Shape shape;
    for (int label : labels) shape.push_back(blocks.extent(label));
    return shape;
}

std::vector<int> all_labels(Blocks const& blocks) {
    std::vector<int> labels = blocks.keys;
    labels.insert(labels.end(), blocks.array.begin(), blocks.array.end());
    return labels;
}

}  // namespace

Blocks Blocks::of(ValueId value, Shape const& shape, std::vector<int> keys, std::vector<int> array) {
    std::vector<int> labels(shape.size());
    std::iota(labels.begin(), labels.end(), 0);
    return {shape, {{value, std::move(labels)}}, scalar::Expr::operand(0), {}, std::move(keys), std::move(array)};
}

int Blocks::add_label(Extent extent) {
    extents.push_back(extent);
    return static_cast<int>(extents.size()) - 1;
}

void Blocks::identify(int from, int to) {
    for (Operand& operand : operands) std::replace(operand.labels.begin(), operand.labels.end(), from, to);
    std::replace(keys.begin(), keys.end(), from, to);
    std::replace(array.begin(), array.end(), from, to);
    std::vector<int> labels(extents.size());
    std::iota(labels.begin(), labels.end(), 0);
    labels[static_cast<std::size_t>(from)] = to;
    join = scalar::substitute(join, {}, labels);
}

Shape Blocks::grid() const { return extents_of(*this, keys); }
Shape Blocks::bound() const { return extents_of(*this, array); }

bool Blocks::plain() const {
    if (operands.size() != 1 || agg || join.op() != scalar::Op::operand) return false;
    std::vector<int> wanted = all_labels(*this), found = operands.front().labels;
    std::sort(wanted.begin(), wanted.end());
    std::sort(found.begin(), found.end());
    return wanted == found && std::adjacent_find(found.begin(), found.end()) == found.end();
}

Blocks BlockBuilder::stored(Blocks const& blocks, std::string const& part) {
    if (blocks.plain()) return blocks;
    std::vector<int> const order = all_labels(blocks);
    ValueId const value = emit(blocks, part, order);
    std::vector<int> keys(blocks.keys.size()), array(blocks.array.size());
    std::iota(keys.begin(), keys.end(), 0);
    std::iota(array.begin(), array.end(), static_cast<int>(keys.size()));
    return Blocks::of(value, extents_of(blocks, order), std::move(keys), std::move(array));
}

ValueId BlockBuilder::in_order(Blocks const& blocks, std::string const& part, std::vector<int> const& order) {
    bool const as_it_is = !part.empty() && blocks.plain() && blocks.operands.front().labels == order;
    return as_it_is ? blocks.operands.front().value : emit(blocks, part, order);
}

ValueId BlockBuilder::emit(Blocks const& blocks, std::string const& part, std::vector<int> const& order) {
    EinSum einsum;
    std::vector<int> number(blocks.extents.size(), -1);
    auto const add = [&](int label, std::string const& name) {
        int& known = number[static_cast<std::size_t>(label)];
        if (known >= 0) return;
        known = static_cast<int>(einsum.labels.size());
        einsum.labels.push_back(name);
        einsum.extents.push_back(blocks.extent(label));
    };
    auto const renumbered = [&](std::vector<int> const& labels) {
        std::vector<int> out;
        for (int label : labels) out.push_back(number[static_cast<std::size_t>(label)]);
        return out;
    };
    for (std::size_t d = 0; d < blocks.keys.size(); ++d) add(blocks.keys[d], "k" + std::to_string(d));
    for (std::size_t d = 0; d < blocks.array.size(); ++d) add(blocks.array[d], "a" + std::to_string(d));
    std::size_t const kept = einsum.labels.size();
    std::vector<ValueId> inputs;
    for (Blocks::Operand const& operand : blocks.operands) {
        for (int label : operand.labels) add(label, "s" + std::to_string(einsum.labels.size() - kept));
        einsum.inputs.push_back(renumbered(operand.labels));
        inputs.push_back(operand.value);
    }
    einsum.output = renumbered(order);
    std::replace(number.begin(), number.end(), -1, 0);  // labels that nothing has: no join reads them
    einsum.join = scalar::substitute(blocks.join, {}, number);
    einsum.agg = blocks.agg.value_or(scalar::Agg::sum);
    promise(blocks.agg || einsum.aggregated().empty(), "blocks lack the aggregation of a label");
    return build_.einsum(part, std::move(einsum), std::move(inputs), dtype_);
}

}  // namespace ein::graph
