#include "lib/graph/contract/sliced.hpp"

#include <algorithm>
#include <numeric>

#include "lib/base/error.hpp"
#include "lib/graph/contract/steps.hpp"
#include "lib/graph/graph_builder.hpp"
#include "lib/graph/labels.hpp"

namespace ein::graph {
namespace {

using scalar::Agg;
using scalar::Expr;
using scalar::Op;

DType wider(DType dtype) {
    if (dtype == DType::f32) return DType::f64;
    return dtype == DType::c64 ? DType::c128 : dtype;
}

Expr combined(Agg agg, Expr a, Expr b) {
    switch (agg) {
        case Agg::sum: return Expr::call(Op::add, {a, b});
        case Agg::min: return Expr::call(Op::min, {a, b});
        case Agg::max: return Expr::call(Op::max, {a, b});
        case Agg::any: return Expr::call(Op::logical_or, {a, b});
        case Agg::all: return Expr::call(Op::logical_and, {a, b});
        case Agg::prod:
        case Agg::logsumexp: break;
    }
    throw InternalError("a product whose aggregation is not carried is sliced");
}

class SlicedProduct {
public:
    SlicedProduct(GraphBuilder& builder, Node const& node, JoinChain const& chain, DType dtype)
        : builder_(builder),
          parts_(builder, node.name),
          node_(node),
          whole_(std::get<EinSum>(node.op)),
          chain_(chain),
          dtype_(dtype),
          at_once_(node.slicing->at_once) {
        for (std::string const& name : node.slicing->labels) {
            auto const place = std::find(whole_.labels.begin(), whole_.labels.end(), name);
            promise(place != whole_.labels.end(), "a label is sliced that the product lacks");
            sliced_.push_back(static_cast<int>(place - whole_.labels.begin()));
        }
        for (int label : sliced_) slices_ *= whole_.extents[at(label)];
    }

    void add(SsaPath const& path) {
        std::int32_t const before = builder_.go_to_loop(node_.loop);
        std::vector<ValueId> tables = tables_of_operands();
        EinSum const slice = einsum_of_slice();
        std::vector<ContractionStep> const steps = contraction_steps(slice, chain_of_slice(), path);
        values_ = node_.inputs;
        values_.resize(whole_.operands() + steps.size());
        std::vector<bool> const varies = varying(steps);
        for (std::size_t k = 0; k < steps.size(); ++k)
            if (!varies[whole_.operands() + k]) add_step(steps[k], k);

        ValueId const first = parts_.einsum("first_slices", count_up(), {zero(DType::i64)}, DType::i64);
        ValueId const number = copy("slices", first);
        ValueId const nothing = parts_.einsum("nothing", nothing_yet(slice), {zero(wider(dtype_))}, wider(dtype_));
        ValueId const sum = copy("so_far", nothing);
        builder_.begin_loop(builder_.fresh_name(node_.name + ":loop"));
        for (std::size_t k = 0; k < whole_.operands(); ++k)
            if (is_sliced(k)) values_[k] = looked_up(k, tables[k], number);
        for (std::size_t k = 0; k < steps.size(); ++k)
            if (varies[whole_.operands() + k]) add_step(steps[k], k);
        ValueId const next_sum = copy("next", add_up(slice, number, sum, values_.back()));
        EinSum next = identity_einsum({at_once_});
        next.join = Expr::call(Op::add, {Expr::operand(0), Expr::integer(at_once_)});
        ValueId const next_number = copy("next_slices", parts_.einsum("advanced", next, {number}, DType::i64));
        builder_.end_loop((slices_ + at_once_ - 1) / at_once_, std::nullopt, {{number, next_number}, {sum, next_sum}});
        add_result(slice, next_sum);
        builder_.go_to_loop(before);
    }

private:
    bool is_sliced(std::size_t operand) const {
        return std::any_of(sliced_.begin(), sliced_.end(),
                           [&](int label) { return has_label(whole_.inputs[operand], label); });
    }

    /// Sliced labels of an operand, in the order of slicing; and its others, in that of its axes.
    std::vector<int> sliced_of(std::size_t operand) const {
        std::vector<int> out;
        for (int label : sliced_)
            if (has_label(whole_.inputs[operand], label)) out.push_back(label);
        return out;
    }
    std::vector<int> others_of(std::size_t operand) const {
        std::vector<int> out;
        for (int label : whole_.inputs[operand])
            if (!has_label(sliced_, label) && !has_label(out, label)) out.push_back(label);
        return out;
    }

    Extent combinations_of(std::size_t operand) const {
        Extent product = 1;
        for (int label : sliced_of(operand)) product *= whole_.extents[at(label)];
        return product;
    }

    /// Of operands that are sliced: a row for each combination of their sliced labels.
    std::vector<ValueId> tables_of_operands() {
        std::vector<ValueId> out = node_.inputs;
        for (std::size_t k = 0; k < whole_.operands(); ++k) {
            if (!is_sliced(k)) continue;
            EinSum table;
            table.labels = whole_.labels;
            table.extents = whole_.extents;
            table.inputs = {whole_.inputs[k]};
            table.output = sliced_of(k);
            std::vector<int> const others = others_of(k);
            table.output.insert(table.output.end(), others.begin(), others.end());
            table.join = chain_.factors[k];
            keep_labels(table);
            Shape rows{combinations_of(k)};
            for (int label : others) rows.push_back(whole_.extents[at(label)]);
            std::string const name = "table" + std::to_string(k);
            ValueId const made = parts_.einsum(name, std::move(table), {node_.inputs[k]}, table_dtype(k));
            out[k] = sliced_of(k).size() == 1 ? made : parts_.reshape(name + ":rows", made, std::move(rows));
        }
        return out;
    }

    /// What a factor alone may be kept in: results on the way are, and an operand as it is stays so.
    DType table_dtype(std::size_t operand) const {
        return chain_.factors[operand].op() == Op::operand ? builder_.value(node_.inputs[operand]).dtype : dtype_;
    }

    /// Only the labels that it has.
    static void keep_labels(EinSum& einsum) {
        std::vector<int> number(einsum.labels.size(), -1);
        std::vector<std::string> labels;
        Shape extents;
        auto const keep = [&](int& label) {
            int& fresh = number[at(label)];
            if (fresh < 0) {
                fresh = static_cast<int>(labels.size());
                labels.push_back(einsum.labels[at(label)]);
                extents.push_back(einsum.extents[at(label)]);
            }
            label = fresh;
        };
        for (auto& input : einsum.inputs)
            for (int& label : input) keep(label);
        for (int& label : einsum.output) keep(label);
        einsum.labels = std::move(labels);
        einsum.extents = std::move(extents);
    }

    /// The product of the slices that one iteration has, with a label for them.
    EinSum einsum_of_slice() const {
        EinSum slice = whole_;
        int const batch = static_cast<int>(slice.labels.size());
        slice.labels.push_back(batch_name());
        slice.extents.push_back(at_once_);
        for (std::size_t k = 0; k < whole_.operands(); ++k) {
            if (!is_sliced(k)) continue;
            slice.inputs[k] = others_of(k);
            slice.inputs[k].insert(slice.inputs[k].begin(), batch);
        }
        slice.output.insert(slice.output.begin(), batch);
        return slice;
    }

    std::string batch_name() const {
        std::string name = "slice";
        while (std::find(whole_.labels.begin(), whole_.labels.end(), name) != whole_.labels.end()) name += "_";
        return name;
    }

    JoinChain chain_of_slice() const {
        JoinChain chain = chain_;
        chain.constant = {};
        for (std::size_t k = 0; k < whole_.operands(); ++k)
            if (is_sliced(k)) chain.factors[k] = Expr::operand(0);
        return chain;
    }

    /// Which operands and results change from slice to slice.
    std::vector<bool> varying(std::vector<ContractionStep> const& steps) const {
        std::vector<bool> out(whole_.operands() + steps.size(), false);
        for (std::size_t k = 0; k < whole_.operands(); ++k) out[k] = is_sliced(k);
        for (std::size_t k = 0; k < steps.size(); ++k)
            for (int operand : steps[k].operands)
                out[whole_.operands() + k] = out[whole_.operands() + k] || out[at(operand)];
        return out;
    }

    void add_step(ContractionStep const& step, std::size_t k) {
        std::vector<ValueId> inputs;
        for (int operand : step.operands) inputs.push_back(values_[at(operand)]);
        values_[whole_.operands() + k] = parts_.einsum(std::to_string(k + 1), step.einsum, std::move(inputs), dtype_);
    }

    ValueId zero(DType dtype) { return parts_.leaf("zero", {}, dtype, tensor::FillSource{}); }

    ValueId copy(std::string const& part, ValueId value) {
        Value const like = builder_.value(value);
        return parts_.einsum(part, identity_einsum(like.shape), {value}, like.dtype);
    }

    EinSum count_up() const {
        EinSum einsum;
        einsum.labels = {batch_name()};
        einsum.extents = {at_once_};
        einsum.inputs = {{}};
        einsum.output = {0};
        einsum.join = Expr::call(Op::add, {Expr::operand(0), Expr::index(0)});
        return einsum;
    }

    EinSum nothing_yet(EinSum const& slice) const {
        EinSum einsum;
        einsum.labels = slice.labels;
        einsum.extents = slice.extents;
        einsum.inputs = {{}};
        einsum.output = slice.output;
        einsum.join = Expr::operand(0);
        keep_labels(einsum);
        return einsum;
    }

    /// Rows of a table where the numbers of the slices say.
    ValueId looked_up(std::size_t operand, ValueId table, ValueId number) {
        EinSum where = identity_einsum({at_once_});
        where.join = position(operand);
        std::string const name = "slice" + std::to_string(operand);
        ValueId const positions = parts_.einsum(name + ":at", std::move(where), {number}, DType::i64);
        EinSum lookup = identity_einsum(builder_.value(table).shape);
        int const batch = static_cast<int>(lookup.labels.size());
        lookup.labels.push_back(batch_name());
        lookup.extents.push_back(at_once_);
        lookup.inputs.push_back({batch});
        lookup.output[0] = batch;
        Expr const found = Expr::call(Op::eq, {Expr::operand(1), Expr::index(0)});
        lookup.join = Expr::call(Op::where, {found, Expr::operand(0), Expr::integer(0)});
        DType const dtype = builder_.value(table).dtype;
        return parts_.einsum(name, std::move(lookup), {table, positions}, dtype);
    }

    /// The row of an operand's table that belongs to a slice: digits of the slice's number, put together again.
    Expr position(std::size_t operand) const {
        std::vector<int> const own = sliced_of(operand);
        Extent above = slices_;
        Expr sum;
        for (int label : sliced_) {
            Extent const extent = whole_.extents[at(label)];
            above /= extent;
            if (!has_label(own, label)) continue;
            Expr digit = Expr::operand(0);
            if (above > 1) digit = Expr::call(Op::floor, {Expr::call(Op::div, {digit, Expr::integer(above)})});
            digit = Expr::call(Op::mod, {digit, Expr::integer(extent)});
            sum = sum.empty() ? digit : Expr::call(Op::add, {Expr::call(Op::mul, {sum, Expr::integer(extent)}), digit});
        }
        return sum;
    }

    /// The results so far with those of this iteration: the first are taken as they are, what is beyond the last slice
    /// is left out.
    ValueId add_up(EinSum const& slice, ValueId number, ValueId sum, ValueId result) {
        std::vector<int> labels(slice.output.size());
        std::iota(labels.begin(), labels.end(), 0);
        auto const is_below = [&](std::string const& part, Extent end) {
            EinSum below = identity_einsum({at_once_});
            below.join = Expr::call(Op::lt, {Expr::operand(0), Expr::integer(end)});
            return parts_.einsum(part, std::move(below), {number}, DType::boolean);
        };
        EinSum add = identity_einsum(builder_.value(sum).shape);
        add.inputs = {labels, labels, {0}, {0}};
        Expr const both = combined(whole_.agg, Expr::operand(0), Expr::operand(1));
        Expr later = slices_ % at_once_ == 0 ? both : Expr::call(Op::where, {Expr::operand(3), both, Expr::operand(0)});
        add.join = Expr::call(Op::where, {Expr::operand(2), Expr::operand(1), std::move(later)});
        std::vector<ValueId> inputs{sum, result, is_below("is_first", at_once_)};
        if (slices_ % at_once_ != 0)
            inputs.push_back(is_below("is_slice", slices_));
        else
            add.inputs.pop_back();
        return parts_.einsum("added", std::move(add), std::move(inputs), wider(dtype_));
    }

    void add_result(EinSum const& slice, ValueId sum) {
        EinSum result = identity_einsum(builder_.value(sum).shape);
        for (std::size_t k = 0; k < slice.output.size(); ++k) result.labels[k] = slice.labels[at(slice.output[k])];
        result.output.erase(result.output.begin());
        result.agg = whole_.agg;
        result.join = chain_.combine(Expr::operand(0), chain_.constant);
        builder_.append(Node{node_.name, {sum}, node_.output, std::move(result), {}, {}, node_.loop});
        if (node_.storage != StorageWish::none) builder_.set_storage(node_.output, node_.storage, node_.storage_at);
    }

    GraphBuilder& builder_;
    NodeBuilder parts_;
    Node const& node_;
    EinSum const& whole_;
    JoinChain const& chain_;
    DType dtype_;
    Extent at_once_;
    std::vector<int> sliced_;
    Extent slices_ = 1;
    std::vector<ValueId> values_;  // by number: operands, then the results of steps
};

}  // namespace

void add_sliced(GraphBuilder& builder, Node const& node, JoinChain const& chain, SsaPath const& path, DType dtype) {
    SlicedProduct(builder, node, chain, dtype).add(path);
}

}  // namespace ein::graph
