#include "lib/relation/pairwise/pairwise_run.hpp"

#include <algorithm>
#include <cmath>

#include "lib/graph/labels.hpp"
#include "lib/relation/demand.hpp"
#include "lib/relation/operand_offsets.hpp"
#include "lib/relation/pairwise/dense.hpp"
#include "lib/relation/pairwise/multiply.hpp"
#include "lib/relation/wide.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"

namespace ein::relation {
namespace {

/// A semiring as values: all but its products is compiled once for each type of elements.
template <class T>
struct Operations {
    T zero;
    T (*plus)(T, T);
    void (*multiply)(T const*, T const*, T*, ProductShape const&);
    bool is_sum_of_products;
};

template <class S>
Operations<typename S::Element> operations_of() {
    return {S::zero(), S::plus, multiply<S>, S::is_sum_of_products};
}

template <class T>
class Pairwise {
public:
    Pairwise(Operations<T> const& operations, graph::EinSum const& einsum, graph::EinSumTypes const& types,
             PairwisePlan const& plan, std::span<Sampled const* const> inputs, Sampled& out,
             scalar::Params const& params, scalar::Noise* noise)
        : ops_(operations),
          einsum_(einsum),
          types_(types),
          plan_(plan),
          inputs_(inputs),
          out_(out),
          params_(params),
          noise_(noise),
          lengths_(loop_lengths(einsum, out.sets)) {}

    void run() {
        std::vector<Dense<T>> operands;
        for (std::size_t k = 0; k < einsum_.operands(); ++k) operands.push_back(read(k));
        std::vector<T> total(static_cast<std::size_t>(out_.data.elements()), ops_.zero);
        std::vector<Extent> const strides = output_strides();
        for_each_index(lengths_of(plan_.sliced), [&](std::vector<Extent> const& slice) {
            std::vector<Dense<T>> parts;
            for (Dense<T> const& operand : operands) parts.push_back(at_slice(operand, slice));
            add(contracted(std::move(parts)), slice, strides, total);
        });
        multiply_constant(total);
        store(total);
    }

private:
    Extent length(int label) const { return lengths_[static_cast<std::size_t>(label)]; }
    Shape lengths_of(std::vector<int> const& labels) const {
        Shape out;
        for (int label : labels) out.push_back(length(label));
        return out;
    }
    bool is_kept(int label) const { return graph::has_label(einsum_.output, label); }
    bool is_sliced(int label) const { return graph::has_label(plan_.sliced, label); }

    /// An operand under its link of the chain, what it has alone aggregated.
    Dense<T> read(std::size_t k) {
        std::vector<LabelOffsets> const offsets{operand_offsets(einsum_, k, *inputs_[k], out_.sets, lengths_)};
        Wide const elements(inputs_[k]->data, types_.compute);
        std::vector<int> alone;
        for (int label : einsum_.inputs[k])
            if (!graph::has_label(plan_.operands[k], label) && !graph::has_label(alone, label)) alone.push_back(label);
        scalar::Expr const& factor = plan_.chain.factors[k];
        bool const plain = factor == scalar::Expr::operand(0) && types_.compute == types_.accumulate;
        scalar::Evaluator link(factor, types_.compute, compute_dtype({}, out_.data.dtype()), params_, noise_);
        auto const value = [&](Extent at) {
            scalar::Scalar element = elements.at(at);
            if (!plain) element = scalar::convert(link({&element, 1}, {}), link.result_dtype(), types_.accumulate);
            return element_of<T>(element);
        };
        Dense<T> out{plan_.operands[k], {}};
        out.elements.reserve(points_of(out.labels, lengths_));
        LabelLoops outer(out.labels, lengths_, offsets), inner(alone, lengths_, offsets);
        do {
            out.elements.push_back(aggregated(inner, [&] { return value(outer.offset(0) + inner.offset(0)); }));
        } while (outer.next());
        return out;
    }

    /// Of what an operand has at the indices of some loops, which are at their first ones.
    template <class Element>
    T aggregated(LabelLoops& loops, Element const& element) const {
        if constexpr (!std::is_same_v<T, std::int64_t>)
            if (noise_ != nullptr && ops_.is_sum_of_products) {
                scalar::NoisySum<T> sum(*noise_, types_.accumulate);
                do {
                    sum.add(element());
                } while (loops.next());
                return sum.value();
            }
        T total = element();
        while (loops.next()) total = rounded(ops_.plus(total, element()));
        return total;
    }

    T rounded(T value) const {
        if constexpr (!std::is_same_v<T, std::int64_t>)
            if (noise_ != nullptr && scalar::info(einsum_.agg).rounds) return noise_->rounded(value, types_.accumulate);
        return value;
    }

    Dense<T> at_slice(Dense<T> const& from, std::vector<Extent> const& slice) const {
        std::vector<Extent> const strides = strides_of(from.labels, lengths_);
        Dense<T> out;
        Extent offset = 0;
        for (std::size_t axis = 0; axis < from.labels.size(); ++axis) {
            auto const at = std::find(plan_.sliced.begin(), plan_.sliced.end(), from.labels[axis]);
            if (at == plan_.sliced.end())
                out.labels.push_back(from.labels[axis]);
            else
                offset += slice[static_cast<std::size_t>(at - plan_.sliced.begin())] * strides[axis];
        }
        out.elements = arranged(from, out.labels, lengths_, offset);
        return out;
    }

    Dense<T> contracted(std::vector<Dense<T>> parts) {
        std::vector<int> holders(lengths_.size(), 0);
        for (Dense<T> const& part : parts)
            for (int label : part.labels) ++holders[static_cast<std::size_t>(label)];
        for (auto const& [first, second] : plan_.path) {
            Dense<T> a = std::move(parts[at(first)]), b = std::move(parts[at(second)]);
            for (Dense<T> const* part : {&a, &b})
                for (int label : part->labels) --holders[static_cast<std::size_t>(label)];
            auto const stays = [&](int label) {
                return is_kept(label) || holders[static_cast<std::size_t>(label)] > 0;
            };
            parts.push_back(product(a, b, stays));
            for (int label : parts.back().labels) ++holders[static_cast<std::size_t>(label)];
        }
        return std::move(parts.back());
    }

    template <class Stays>
    Dense<T> product(Dense<T> const& a, Dense<T> const& b, Stays const& stays) {
        std::vector<int> both, inner, rows, columns;
        for (int label : a.labels) {
            bool const shared = graph::has_label(b.labels, label);
            (!stays(label) ? inner : shared ? both : rows).push_back(label);
        }
        for (int label : b.labels)
            if (!graph::has_label(a.labels, label)) columns.push_back(label);
        ProductShape shape{points_of(both, lengths_), points_of(rows, lengths_), points_of(inner, lengths_),
                           points_of(columns, lengths_)};
        if (shape.columns < shape.rows) return product_of(b, a, both, columns, inner, rows, shape);
        return product_of(a, b, both, rows, inner, columns, shape);
    }

    /// The longer side is that of columns, which a tile takes four at a time.
    Dense<T> product_of(Dense<T> const& a, Dense<T> const& b, std::vector<int> const& both,
                        std::vector<int> const& rows, std::vector<int> const& inner, std::vector<int> const& columns,
                        ProductShape shape) {
        if (shape.columns < shape.rows) std::swap(shape.rows, shape.columns);
        std::vector<T> left = arranged(a, joined(both, rows, inner), lengths_),
                       right = arranged(b, joined(both, inner, columns), lengths_);
        Dense<T> out{joined(both, rows, columns), std::vector<T>(shape.batch * shape.rows * shape.columns)};
        if constexpr (!std::is_same_v<T, std::int64_t>)
            if (noise_ != nullptr && ops_.is_sum_of_products)
                for (std::vector<T>* side : {&left, &right})
                    for (T& element : *side) element = noise_->factor(element, types_.compute);
        ops_.multiply(left.data(), right.data(), out.elements.data(), shape);
        if (noise_ != nullptr) add_noise(left, right, shape, out.elements);
        return out;
    }

    /// As some order of adding up may leave the sums: how far off depends on what their terms have in magnitude.
    void add_noise(std::vector<T> const& left, std::vector<T> const& right, ProductShape const& shape,
                   std::vector<T>& results) {
        if constexpr (!std::is_same_v<T, std::int64_t>)
            if (ops_.is_sum_of_products) {
                std::vector<double> magnitudes(results.size());
                multiply<Semiring<double, Sum, Product>>(magnitudes_of(left).data(), magnitudes_of(right).data(),
                                                         magnitudes.data(), shape);
                std::vector<T> finite;
                if (std::any_of(results.begin(), results.end(), [](T const& sum) { return !is_finite(sum); })) {
                    finite.resize(results.size());
                    ops_.multiply(finite_of(left).data(), finite_of(right).data(), finite.data(), shape);
                }
                for (std::size_t k = 0; k < results.size(); ++k)
                    results[k] = noise_->summed(results[k], finite.empty() ? results[k] : finite[k], magnitudes[k],
                                                types_.accumulate);
                return;
            }
        for (T& result : results) result = rounded(result);
    }

    static bool is_finite(T const& element) { return std::isfinite(static_cast<double>(std::abs(element))); }

    static std::vector<T> finite_of(std::vector<T> elements) {
        for (T& element : elements)
            if (!is_finite(element)) element = 0;
        return elements;
    }

    static std::vector<double> magnitudes_of(std::vector<T> const& elements) {
        std::vector<double> out;
        out.reserve(elements.size());
        for (T const& element : elements) out.push_back(is_finite(element) ? std::abs(element) : 0);
        return out;
    }

    static std::vector<int> joined(std::vector<int> a, std::vector<int> const& b, std::vector<int> const& c) {
        a.insert(a.end(), b.begin(), b.end());
        a.insert(a.end(), c.begin(), c.end());
        return a;
    }

    /// By label what an index of it moves in the output.
    std::vector<Extent> output_strides() const {
        std::vector<Extent> by_axis = strides_of(einsum_.output, lengths_), by_label(lengths_.size(), 0);
        for (std::size_t axis = 0; axis < by_axis.size(); ++axis)
            by_label[static_cast<std::size_t>(einsum_.output[axis])] = by_axis[axis];
        return by_label;
    }

    /// Adds a slice's result to the elements of the output that it belongs to; repeats it along labels of the output
    /// alone.
    void add(Dense<T> const& part, std::vector<Extent> const& slice, std::vector<Extent> const& strides,
             std::vector<T>& total) const {
        std::vector<int> order;
        Extent offset = 0;
        for (int label : einsum_.output)
            if (!is_sliced(label)) order.push_back(label);
        for (std::size_t k = 0; k < slice.size(); ++k)
            offset += slice[k] * strides[static_cast<std::size_t>(plan_.sliced[k])];
        std::vector<int> own;
        for (int label : order)
            if (graph::has_label(part.labels, label)) own.push_back(label);
        std::vector<T> const elements = arranged(part, own, lengths_);
        std::vector<Extent> const within = strides_of(own, lengths_);
        for_each_index(lengths_of(order), [&](std::vector<Extent> const& index) {
            Extent from = 0, to = offset;
            std::size_t axis = 0;
            for (std::size_t k = 0; k < order.size(); ++k) {
                to += index[k] * strides[static_cast<std::size_t>(order[k])];
                if (axis < own.size() && own[axis] == order[k]) from += index[k] * within[axis++];
            }
            T& sum = total[static_cast<std::size_t>(to)];
            sum = ops_.plus(sum, elements[static_cast<std::size_t>(from)]);
        });
    }

    void multiply_constant(std::vector<T>& total) const {
        if (plan_.chain.constant.empty()) return;
        scalar::Expr const product = plan_.chain.combine(scalar::Expr::operand(0), plan_.chain.constant);
        scalar::Evaluator join(product, types_.accumulate, compute_dtype({}, out_.data.dtype()), params_, noise_);
        for (T& element : total) {
            scalar::Scalar const operand = scalar_of(element);
            element = element_of<T>(scalar::convert(join({&operand, 1}, {}), join.result_dtype(), types_.accumulate));
        }
    }

    void store(std::vector<T> const& total) {
        Wide results(types_.accumulate, total.size());
        for (std::size_t k = 0; k < total.size(); ++k) results.set(k, stored(total[k]));
        results.round_into(out_.data);
    }

    scalar::Scalar stored(T value) const {
        DType const type = out_.data.dtype();
        if constexpr (!std::is_same_v<T, std::int64_t>)
            if (noise_ != nullptr && type != types_.accumulate && kind(type) >= Kind::real)
                value = noise_->rounded(value, type);
        return scalar_of(value);
    }

    Operations<T> ops_;
    graph::EinSum const& einsum_;
    graph::EinSumTypes types_;
    PairwisePlan const& plan_;
    std::span<Sampled const* const> inputs_;
    Sampled& out_;
    scalar::Params const& params_;
    scalar::Noise* noise_;
    Shape lengths_;
};

}  // namespace

Sampled einsum_pairwise(graph::EinGraph const& graph, graph::Node const& node, PairwisePlan const& plan,
                        std::span<Sampled const* const> inputs, Sets sets, scalar::Params const& params,
                        scalar::Noise* noise) {
    auto const& einsum = std::get<graph::EinSum>(node.op);
    graph::EinSumTypes const types = graph::types_of(graph, node);
    Sampled out{std::move(sets), {}};
    out.data = tensor::HostTensor(graph.value(node.output).dtype, sizes_of(out.sets));
    with_semiring(einsum.agg, plan.chain.op, types.accumulate, [&]<class S>(S) {
        Pairwise(operations_of<S>(), einsum, types, plan, inputs, out, params, noise).run();
    });
    return out;
}

}  // namespace ein::relation
