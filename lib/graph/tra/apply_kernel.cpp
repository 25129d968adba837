#include "lib/graph/tra/apply_kernel.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/graph/tuning.hpp"
#include "lib/scalar/expression/type.hpp"

namespace ein::graph {
namespace {

using scalar::Agg;
using scalar::Expr;

/// Operations of the tree as it prints, at most `most` of them are counted.
int operations(Expr const& expr, int most) {
    int count = 1;
    for (Expr const& arg : expr.args()) {
        if (count >= most) break;
        count += operations(arg, most - count);
    }
    return count;
}

constexpr int most_merged = tuning::most_merged_operations;

/// The kernel's expression in the relations' type, as if its result were stored before it is used.
Expr rounded(Expr const& join, DType dtype, int operands) {
    std::vector<DType> const inputs(static_cast<std::size_t>(operands), dtype);
    DType const weak = compute_dtype({}, dtype);
    scalar::TypeResult const type = scalar::type_of(join, compute_type(join, inputs, dtype), weak);
    return type.type == weak ? join : Expr::cast(dtype, join);
}

bool merges(Agg inner, Agg outer) { return inner == outer && !scalar::info(inner).by_exponentials; }

Blocks elementwise(BlockBuilder& builder, tra::Elementwise const& act, Blocks blocks) {
    if (blocks.agg || operations(blocks.join, most_merged) + operations(act.join, most_merged) > most_merged)
        blocks = builder.stored(blocks, "transform");
    std::vector<Expr> const operands{blocks.join};
    blocks.join = scalar::substitute(rounded(act.join, builder.dtype(), 1), operands);
    return blocks;
}

Blocks contraction(BlockBuilder& builder, tra::Contraction const& act, Blocks blocks) {
    std::vector<int> const& read = act.inputs.front();
    bool const sums = std::any_of(read.begin(), read.end(), [&](int label) {
        return std::find(act.output.begin(), act.output.end(), label) == act.output.end();
    });
    bool const merged =
        !blocks.agg || (act.join.op() == scalar::Op::operand && (!sums || merges(*blocks.agg, act.agg)));
    if (!merged || operations(blocks.join, most_merged) + operations(act.join, most_merged) > most_merged)
        blocks = builder.stored(blocks, "transform");
    std::vector<int> label_of(read.size() + 1, -1);  // of each label of the kernel; there are at most so many
    for (std::size_t axis = 0; axis < read.size(); ++axis) {
        int& known = label_of[static_cast<std::size_t>(read[axis])];
        if (known < 0)
            known = blocks.array[axis];
        else
            blocks.identify(blocks.array[axis], known);
    }
    std::vector<int> array;
    for (int label : act.output) array.push_back(label_of[static_cast<std::size_t>(label)]);
    std::replace(label_of.begin(), label_of.end(), -1, 0);
    std::vector<Expr> const operands{blocks.join};
    blocks.join = scalar::substitute(scalar::substitute(rounded(act.join, builder.dtype(), 1), {}, label_of), operands);
    if (sums) blocks.agg = act.agg;
    blocks.array = std::move(array);
    return blocks;
}

/// Labels of the arrays' axes of both operands, and of the result.
struct ArrayLabels {
    std::vector<int> left, right, output, by_kernel;
};

ArrayLabels labels_of(tra::Elementwise const&, Blocks const& left, Blocks& made) {
    ArrayLabels labels;
    for (int label : left.array) labels.left.push_back(made.add_label(left.extent(label)));
    labels.right = labels.output = labels.left;
    return labels;
}

ArrayLabels labels_of(tra::Contraction const& act, Blocks const& left, Blocks const& right, Blocks& made) {
    ArrayLabels labels;
    auto const add = [&](std::vector<int> const& read, Blocks const& from, std::vector<int>& axes) {
        for (std::size_t axis = 0; axis < read.size(); ++axis) {
            auto const label = static_cast<std::size_t>(read[axis]);
            if (label >= labels.by_kernel.size()) labels.by_kernel.resize(label + 1, -1);
            if (labels.by_kernel[label] < 0) labels.by_kernel[label] = made.add_label(from.extent(from.array[axis]));
            axes.push_back(labels.by_kernel[label]);
        }
    };
    add(act.inputs[0], left, labels.left);
    add(act.inputs[1], right, labels.right);
    for (int label : act.output) labels.output.push_back(labels.by_kernel[static_cast<std::size_t>(label)]);
    return labels;
}

/// A stored operand read under new labels.
Blocks::Operand read_as(Blocks const& blocks, std::vector<int> const& keys, std::vector<int> const& array) {
    Blocks::Operand operand = blocks.operands.front();
    std::vector<int> now(blocks.extents.size(), -1);
    for (std::size_t k = 0; k < keys.size(); ++k) now[static_cast<std::size_t>(blocks.keys[k])] = keys[k];
    for (std::size_t k = 0; k < array.size(); ++k) now[static_cast<std::size_t>(blocks.array[k])] = array[k];
    for (int& label : operand.labels) label = now[static_cast<std::size_t>(label)];
    return operand;
}

}  // namespace

Blocks apply_kernel(BlockBuilder& builder, tra::Kernel const& kernel, Blocks blocks) {
    tra::BlockOp const& op = kernel.op();
    if (auto const* act = std::get_if<tra::Elementwise>(&op.act)) return elementwise(builder, *act, std::move(blocks));
    auto const* const act = std::get_if<tra::Contraction>(&op.act);
    promise(act != nullptr, "a kernel is lowered that no file can have");
    return contraction(builder, *act, std::move(blocks));
}

Blocks apply_kernel(BlockBuilder& builder, tra::Kernel const& kernel, Blocks const& left, Blocks const& right,
                    std::vector<int> const& left_keys, std::vector<int> const& right_keys, Shape const& key_extents) {
    Blocks const x = builder.stored(left, "joined"), y = builder.stored(right, "joined");
    Blocks made;
    for (Extent extent : key_extents) made.keys.push_back(made.add_label(extent));
    auto const* const each = std::get_if<tra::Elementwise>(&kernel.op().act);
    auto const* const axes = std::get_if<tra::Contraction>(&kernel.op().act);
    promise(each || axes, "a kernel is lowered that no file can have");
    ArrayLabels labels = each ? labels_of(*each, x, made) : labels_of(*axes, x, y, made);
    made.operands = {read_as(x, left_keys, labels.left), read_as(y, right_keys, labels.right)};
    std::replace(labels.by_kernel.begin(), labels.by_kernel.end(), -1, 0);
    Expr const join = rounded(each ? each->join : axes->join, builder.dtype(), 2);
    made.join = axes ? scalar::substitute(join, {}, labels.by_kernel) : join;
    if (labels.output.size() < made.extents.size() - made.keys.size()) made.agg = axes->agg;
    made.array = std::move(labels.output);
    return made;
}

}  // namespace ein::graph
