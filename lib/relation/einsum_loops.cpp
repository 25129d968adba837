#include "lib/relation/einsum_loops.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "lib/base/error.hpp"
#include "lib/relation/demand.hpp"
#include "lib/relation/label_loops.hpp"
#include "lib/relation/operand_offsets.hpp"
#include "lib/relation/wide.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"

namespace ein::relation {
namespace {

using scalar::Scalar;

class Loops {
public:
    Loops(graph::EinGraph const& graph, graph::Node const& node, std::span<Sampled const* const> inputs, Sampled& out,
          scalar::Params const& params, scalar::Noise* noise)
        : einsum_(std::get<graph::EinSum>(node.op)),
          types_(graph::types_of(graph, node)),
          weak_(compute_dtype({}, out.data.dtype())),
          inputs_(inputs),
          out_(out),
          params_(params),
          noise_(noise),
          lengths_(loop_lengths(einsum_, out.sets)),
          aggregated_(einsum_.aggregated()) {
        // The longest aggregated label innermost.
        std::stable_sort(aggregated_.begin(), aggregated_.end(), [&](int a, int b) { return length(a) < length(b); });
    }

    void run() {
        if (out_.data.elements() == 0) return;
        Wide results(types_.accumulate, static_cast<std::size_t>(out_.data.elements()));
        bool const nothing = std::any_of(aggregated_.begin(), aggregated_.end(), [&](int l) { return length(l) == 0; });
        if (nothing)
            fill_identity(results);
        else if (auto const lookup = graph::as_lookup(einsum_))
            run_lookup(*lookup, results);
        else if (auto const scatter = graph::as_scatter(einsum_))
            run_scatter(*scatter, results);
        else if (is_plain_sum_of_products())
            run_sum_of_products(results);
        else
            run_expression(results);
        DType const stored = out_.data.dtype();
        if (noise_ != nullptr && stored != types_.accumulate && kind(stored) >= Kind::real)
            for (std::size_t k = 0; k < static_cast<std::size_t>(out_.data.elements()); ++k)
                results.set(k, with_noise(results.at(static_cast<Extent>(k)), stored));
        results.round_into(out_.data);
    }

private:
    Extent length(int label) const { return lengths_[static_cast<std::size_t>(label)]; }

    Scalar with_noise(Scalar value, DType type) const {
        if (!value.is_integer) value.number = noise_->rounded(value.number, type);
        return value;
    }

    /// Whether combining two partial results rounds.
    bool combining_rounds() const { return scalar::info(einsum_.agg).rounds; }

    void fill_identity(Wide& results) const {
        for (std::size_t k = 0; k < static_cast<std::size_t>(out_.data.elements()); ++k)
            results.set(k, scalar::identity(einsum_.agg, types_.accumulate));
    }

    std::vector<LabelOffsets> all_offsets() const {
        std::vector<LabelOffsets> out;
        for (std::size_t k = 0; k < einsum_.operands(); ++k)
            out.push_back(operand_offsets(einsum_, k, *inputs_[k], out_.sets, lengths_));
        return out;
    }

    std::vector<Wide> wide_operands() const {
        std::vector<Wide> out;
        for (Sampled const* input : inputs_) out.emplace_back(input->data, types_.compute);
        return out;
    }

    bool is_plain_sum_of_products() const {
        return einsum_.agg == scalar::Agg::sum && kind(types_.compute) == Kind::real &&
               kind(types_.accumulate) == Kind::real &&
               einsum_.join == scalar::product(static_cast<int>(einsum_.operands()));
    }

    /// The index that a value equals; nothing for one that equals none.
    static std::optional<std::int64_t> place_of(Scalar const& given) {
        if (given.is_integer) return given.integer;
        double const place = given.number.real();
        bool const whole = given.number.imag() == 0 && place == std::floor(place) && std::fabs(place) < 0x1p62;
        return whole ? std::optional(static_cast<std::int64_t>(place)) : std::nullopt;
    }

    /// out = x[..., y[...], ...]; what no position names stays zero.
    void run_lookup(graph::Lookup const& lookup, Wide& results) const {
        auto const data = static_cast<std::size_t>(lookup.data), positions = static_cast<std::size_t>(lookup.positions);
        std::vector<LabelOffsets> offsets = all_offsets();
        std::vector<Extent> const along = std::move(offsets[data][static_cast<std::size_t>(lookup.label)]);
        offsets[data][static_cast<std::size_t>(lookup.label)].clear();
        LabelLoops outer(einsum_.output, lengths_, offsets);
        std::size_t k = 0;
        do {
            auto const place = place_of(inputs_[positions]->data.at(outer.offset(positions)));
            if (place && *place >= 0 && *place < static_cast<std::int64_t>(along.size())) {
                Extent const at = outer.offset(data) + along[static_cast<std::size_t>(*place)];
                Scalar const found = inputs_[data]->data.at(at);
                results.set(k, scalar::convert(found, inputs_[data]->data.dtype(), types_.accumulate));
            }
            ++k;
        } while (outer.next());
    }

    /// out[..., y[...], ...] += x[...]: one addition for each element of x that belongs to an output at hand.
    void run_scatter(graph::Lookup const& scatter, Wide& results) const {
        auto const data = static_cast<std::size_t>(scatter.data),
                   positions = static_cast<std::size_t>(scatter.positions);
        std::vector<LabelOffsets> offsets = all_offsets();
        std::vector<Extent> const strides = row_major_strides(out_.data.shape());
        LabelOffsets written(lengths_.size());
        std::vector<int> others = aggregated_;
        std::unordered_map<std::int64_t, Extent> row_of;  // of the positions whose rows are at hand
        for (std::size_t axis = 0; axis < strides.size(); ++axis) {
            int const label = einsum_.output[axis];
            if (label != scatter.label) others.push_back(label);
            for (Extent iteration = 0; iteration < length(label); ++iteration)
                if (label == scatter.label)
                    row_of[out_.sets[axis][iteration]] = iteration * strides[axis];
                else
                    written[static_cast<std::size_t>(label)].push_back(iteration * strides[axis]);
        }
        offsets.push_back(std::move(written));
        fill_identity(results);
        LabelLoops loops(others, lengths_, offsets);
        do {
            auto const place = place_of(inputs_[positions]->data.at(loops.offset(positions)));
            auto const row = place ? row_of.find(*place) : row_of.end();
            if (row == row_of.end()) continue;
            Extent const k = loops.offset(offsets.size() - 1) + row->second;
            Scalar const value = scalar::convert(inputs_[data]->data.at(loops.offset(data)),
                                                 inputs_[data]->data.dtype(), types_.accumulate);
            Scalar total = scalar::combine(einsum_.agg, types_.accumulate, results.at(k), value);
            results.set(static_cast<std::size_t>(k), noise_ != nullptr ? with_noise(total, types_.accumulate) : total);
        } while (loops.next());
    }

    /// The same loops as run_expression without its interpretation: one multiply-add an iteration.
    void run_sum_of_products(Wide& results) const {
        std::vector<LabelOffsets> const offsets = all_offsets();
        std::vector<Wide> const operands = wide_operands();
        std::vector<int> middle = aggregated_;
        int const innermost = middle.empty() ? -1 : middle.back();
        if (!middle.empty()) middle.pop_back();
        std::vector<Extent> const zeros(innermost < 0 ? 1 : static_cast<std::size_t>(length(innermost)), 0);
        std::vector<Row> rows(operands.size());
        for (std::size_t t = 0; t < rows.size(); ++t) {
            auto const* table = innermost < 0 ? nullptr : &offsets[t][static_cast<std::size_t>(innermost)];
            rows[t].steps = !table || table->empty() ? zeros.data() : table->data();
        }
        LabelLoops outer(einsum_.output, lengths_, offsets), inner(middle, lengths_, offsets);
        std::size_t k = 0;
        do {
            double sum = -0.0;  // so that a sum of one element keeps its sign
            std::optional<scalar::NoisySum<double>> noisy;
            if (noise_ != nullptr) noisy.emplace(*noise_, types_.accumulate);
            do {
                for (std::size_t t = 0; t < rows.size(); ++t)
                    rows[t].base = operands[t].reals() + outer.offset(t) + inner.offset(t);
                if (noisy)
                    add_noisily(*noisy, rows, zeros.size());
                else
                    sum += row_sum(rows, zeros.size());
            } while (inner.next());
            results.reals()[k++] = noisy ? noisy->value() : sum;
        } while (outer.next());
    }

    struct Row {
        double const* base = nullptr;
        Extent const* steps = nullptr;
    };

    static double row_sum(std::vector<Row> const& rows, std::size_t count) {
        double sum = -0.0;
        if (rows.size() == 1) {
            for (std::size_t v = 0; v < count; ++v) sum += rows[0].base[rows[0].steps[v]];
        } else if (rows.size() == 2) {
            for (std::size_t v = 0; v < count; ++v)
                sum += rows[0].base[rows[0].steps[v]] * rows[1].base[rows[1].steps[v]];
        } else {
            for (std::size_t v = 0; v < count; ++v) {
                double product = 1;
                for (Row const& row : rows) product *= row.base[row.steps[v]];
                sum += product;
            }
        }
        return sum;
    }

    void add_noisily(scalar::NoisySum<double>& sum, std::vector<Row> const& rows, std::size_t count) const {
        for (std::size_t v = 0; v < count; ++v) {
            double product = rows[0].base[rows[0].steps[v]];
            for (std::size_t t = 1; t < rows.size(); ++t)
                product = noise_->rounded(noise_->factor(product, types_.compute) *
                                              noise_->factor(rows[t].base[rows[t].steps[v]], types_.compute),
                                          types_.compute);
            sum.add(product);
        }
    }

    void run_expression(Wide& results) const {
        std::vector<LabelOffsets> const offsets = all_offsets();
        std::vector<Wide> const operands = wide_operands();
        scalar::Evaluator join(einsum_.join, types_.compute, weak_, params_, noise_);
        bool const noisy = noise_ != nullptr && combining_rounds();
        bool const sums_noisily = noisy && einsum_.agg == scalar::Agg::sum && kind(types_.accumulate) >= Kind::real;
        bool const multiplies = noisy && einsum_.agg == scalar::Agg::prod && kind(types_.accumulate) >= Kind::real;
        std::vector<Scalar> values(operands.size());
        std::vector<std::int64_t> indices(lengths_.size(), 0);
        LabelLoops outer(einsum_.output, lengths_, offsets), inner(aggregated_, lengths_, offsets);
        std::size_t k = 0;
        do {
            for (std::size_t l = 0; l < outer.labels().size(); ++l)
                indices[static_cast<std::size_t>(outer.labels()[l])] = out_.sets[l][outer.iteration(l)];
            bool first = true;
            Scalar total;
            std::optional<scalar::NoisySum<std::complex<double>>> sum;
            std::optional<scalar::NoisyProduct> product;
            if (sums_noisily) sum.emplace(*noise_, types_.accumulate);
            if (multiplies) product.emplace(*noise_, types_.accumulate);
            do {
                for (std::size_t l = 0; l < inner.labels().size(); ++l)
                    indices[static_cast<std::size_t>(inner.labels()[l])] = inner.iteration(l);
                for (std::size_t t = 0; t < operands.size(); ++t)
                    values[t] = operands[t].at(outer.offset(t) + inner.offset(t));
                Scalar value = join(values, indices);
                if (join.result_dtype() != types_.accumulate)
                    value = scalar::convert(value, join.result_dtype(), types_.accumulate);
                total = first ? value : scalar::combine(einsum_.agg, types_.accumulate, total, value);
                if (product) product->multiply(value.number);
                if (sum) sum->add(value.number);
                if (noisy && !sum && !product && !first) total = with_noise(total, types_.accumulate);
                first = false;
            } while (inner.next());
            if (sum) total.number = sum->value();
            if (product) total.number = product->value();
            results.set(k++, total);
        } while (outer.next());
    }

    graph::EinSum const& einsum_;
    graph::EinSumTypes types_;
    DType weak_;
    std::span<Sampled const* const> inputs_;
    Sampled& out_;
    scalar::Params const& params_;
    scalar::Noise* noise_;
    Shape lengths_;
    std::vector<int> aggregated_;
};

/// Which element it is, of which tensor.
Fault index_fault(graph::EinGraph const& graph, graph::Node const& node, Sampled const& indices,
                  scalar::PositionError const& error) {
    Fault fault = error.faults().front();
    auto const element = [&](Extent k) { return indices.data.at(k).integer; };
    auto const found = scalar::count_indices(element_count(indices.data.shape()), error.extent(), element);
    if (found.wrong > 0) {
        Shape at = index_at(indices.data.shape(), found.first_wrong);
        for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] = indices.sets[axis][at[axis]];
        fault = scalar::PositionError::fault_at("", at, element(found.first_wrong), error.extent());
    }
    fault.where = "node '" + node.name + "', indices '" + graph.value(node.inputs[0]).name + "'";
    return fault;
}

}  // namespace

Sampled einsum_sampled(graph::EinGraph const& graph, graph::Node const& node, std::span<Sampled const* const> inputs,
                       Sets sets, scalar::Params const& params, scalar::Noise* noise) {
    Sampled out{std::move(sets), {}};
    out.data = tensor::HostTensor(graph.value(node.output).dtype, sizes_of(out.sets));
    try {
        Loops(graph, node, inputs, out, params, noise).run();
    } catch (scalar::PositionError const& error) {
        throw InputError(index_fault(graph, node, *inputs[0], error));
    } catch (InputError const& error) {
        std::vector<Fault> faults = error.faults();
        for (Fault& fault : faults)
            if (fault.where.empty()) fault.where = "node '" + node.name + "'";
        throw InputError(std::move(faults));
    }
    return out;
}

}  // namespace ein::relation
