#include "executor/call_check/call_again.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "executor/device/reference/element.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/sparse/find_element.hpp"

namespace ein::executor {

using scalar::Scalar;

namespace {

constexpr std::size_t run_length = 512;          // elements that are converted at a time
constexpr std::int64_t runs_a_pause = 256;       // a millisecond, roughly
constexpr std::int64_t terms_a_pause = 1 << 13;  // the same of terms that are evaluated one by one

/// Whether every value of one is one of the other too.
bool holds(DType wide, DType narrow) {
    return wide == narrow || (kind(narrow) == Kind::real && size_of(narrow) < size_of(wide));
}

}  // namespace

double magnitude_of(Scalar const& value) {
    return value.is_integer ? std::fabs(static_cast<double>(value.integer)) : std::abs(value.number);
}

CallAgain::CallAgain(KernelShape const& shape, scalar::Params const& params)
    : shape_(shape), params_(params), einsum_(shape.kernel->einsum), types_(types_of(shape)) {
    check(shape);
    for (std::size_t k = 0; k < einsum_.operands(); ++k)
        strides_.push_back(is_sparse(shape, k)
                               ? std::vector<Extent>(shape.lengths.size(), 0)
                               : label_strides(einsum_.inputs[k], shape.operand_strides[k], shape.lengths.size()));
    if (shape.sparse) sparse_.emplace(shape);
    inner_ = einsum_.aggregated();
    std::stable_sort(inner_.begin(), inner_.end(),
                     [&](int a, int b) { return shape.lengths[at(a)] < shape.lengths[at(b)]; });
    for (int label : inner_) inner_lengths_.push_back(shape.lengths[at(label)]);
    is_plain_ = is_plain_sum_of_products();
}

bool CallAgain::is_plain_sum_of_products() const {
    return !shape_.sparse && einsum_.agg == scalar::Agg::sum && einsum_.operands() > 0 &&
           kind(types_.compute) == Kind::real && kind(types_.accumulate) == Kind::real &&
           einsum_.join == scalar::product(static_cast<int>(einsum_.operands())) &&
           std::all_of(shape_.operand_dtypes.begin(), shape_.operand_dtypes.end(),
                       [&](DType dtype) { return holds(types_.compute, dtype); });
}

Scalar CallAgain::found(void const* output, ElementPlace const& place) const {
    if (shape_.sparse && shape_.sparse->output) {
        SparseOperand const& sparse = *shape_.sparse->output;
        ElementPlace in_block = place;
        for (std::size_t axis = 0; axis < place.size(); ++axis) in_block[axis] += sparse.begin[axis];
        tensor::SparseLook const look(output, sparse.layout, sparse.lengths, shape_.output_dtype);
        Extent const element = look.find(in_block);
        return element < 0 ? sparse.fill : load_element(look.value(element), shape_.output_dtype);
    }
    std::ptrdiff_t elements = 0;
    for (std::size_t axis = 0; axis < place.size(); ++axis) elements += place[axis] * shape_.output_strides[axis];
    return load_element(
        static_cast<std::byte const*>(output) + elements * static_cast<std::ptrdiff_t>(size_of(shape_.output_dtype)),
        shape_.output_dtype);
}

CallAgain::Bases CallAgain::bases_at(KernelCall const& call, ElementPlace const& place) const {
    Bases out;
    for (std::size_t k = 0; k < einsum_.operands(); ++k) {
        std::ptrdiff_t elements = 0;
        for (std::size_t axis = 0; axis < place.size(); ++axis)
            elements += place[axis] * strides_[k][at(einsum_.output[axis])];
        out.push_back(static_cast<std::byte const*>(call.operands[k]) +
                      elements * static_cast<std::ptrdiff_t>(size_of(shape_.operand_dtypes[k])));
    }
    return out;
}

/// @param inner  index of each aggregated label, or of all but the last
std::ptrdiff_t CallAgain::bytes_to(std::size_t operand, std::vector<Extent> const& inner) const {
    std::ptrdiff_t elements = 0;
    for (std::size_t k = 0; k < inner.size(); ++k) elements += inner[k] * strides_[operand][at(inner_[k])];
    return elements * static_cast<std::ptrdiff_t>(size_of(shape_.operand_dtypes[operand]));
}

CallAgain::Element CallAgain::element(KernelCall const& call, ElementPlace const& place,
                                      std::optional<Scalar> const& held, WorkerTeam& team, scalar::Noise* noise) const {
    Bases const bases = bases_at(call, place);
    NoisySum sum;
    if (noise != nullptr && einsum_.agg == scalar::Agg::sum && !is_exact(types_.accumulate))
        sum.emplace(*noise, types_.accumulate);
    Element out = is_plain_ && noise == nullptr ? sum_of_products(bases, team)
                                                : terms_of_join(call, place, bases, team, noise, sum);
    if (held) add_held(out, *held, noise, sum);
    if (sum && out.terms > 0) out.value.number = sum->value();
    DType const stored = shape_.output_dtype;
    if (noise != nullptr && stored != types_.accumulate && kind(stored) >= Kind::real && !out.value.is_integer)
        out.value.number = noise->rounded(out.value.number, stored);
    return out;
}

/// A run along the longest label at a time.
CallAgain::Element CallAgain::sum_of_products(Bases const& bases, WorkerTeam& team) const {
    Element out{Scalar::of(std::complex<double>(-0.0)), 0, static_cast<double>(element_count(inner_lengths_))};
    Shape rows = inner_lengths_;
    std::size_t const length = rows.empty() ? 1 : static_cast<std::size_t>(rows.back());
    int const along = inner_.empty() ? -1 : inner_.back();
    if (!rows.empty()) rows.pop_back();
    std::array<double, run_length> products, factors;
    double sum = out.terms == 0 ? 0.0 : -0.0;  // so that a sum of one element keeps its sign
    std::int64_t done = 0;
    for_each_index(rows, [&](std::vector<Extent> const& row) {
        for (std::size_t first = 0; first < length; first += run_length) {
            std::size_t const count = std::min(run_length, length - first);
            for (std::size_t k = 0; k < bases.size(); ++k) {
                DType const dtype = shape_.operand_dtypes[k];
                std::ptrdiff_t const stride = along < 0 ? 0 : strides_[k][at(along)];
                std::byte const* const from =
                    bases[k] + bytes_to(k, row) +
                    static_cast<std::ptrdiff_t>(first) * stride * static_cast<std::ptrdiff_t>(size_of(dtype));
                tensor::convert(dtype, from, stride, DType::f64, (k == 0 ? products : factors).data(), count);
                for (std::size_t i = 0; k > 0 && i < count; ++i) products[i] *= factors[i];
            }
            for (std::size_t i = 0; i < count; ++i) sum += products[i];
            for (std::size_t i = 0; i < count; ++i) out.magnitude += std::fabs(products[i]);
            if (++done % runs_a_pause == 0) team.pause();
        }
    });
    out.value = Scalar::of(std::complex<double>(sum));
    return out;
}

template <class Visit>
void CallAgain::for_each_term(KernelCall const& call, ElementPlace const& place, Bases const& bases,
                              Visit const& visit) const {
    std::vector<Extent> labels(call.begin.begin(), call.begin.end());
    std::vector<Scalar> operands(bases.size());
    auto const converted = [&](std::size_t k, Scalar const& value) {
        return scalar::convert(value, shape_.operand_dtypes[k], types_.compute);
    };
    if (sparse_) {
        sparse_->for_each(call, place, [&](std::vector<Extent> const& index, std::vector<Scalar> const& values) {
            for (std::size_t label = 0; label < labels.size(); ++label)
                labels[label] = call.begin[label] + index[label];
            for (std::size_t k = 0; k < operands.size(); ++k) operands[k] = converted(k, values[k]);
            visit(labels, operands);
        });
        return;
    }
    for (std::size_t axis = 0; axis < place.size(); ++axis) labels[at(einsum_.output[axis])] += place[axis];
    for_each_index(inner_lengths_, [&](std::vector<Extent> const& inner) {
        for (std::size_t k = 0; k < inner.size(); ++k) labels[at(inner_[k])] = call.begin[at(inner_[k])] + inner[k];
        for (std::size_t k = 0; k < operands.size(); ++k)
            operands[k] = converted(k, load_element(bases[k] + bytes_to(k, inner), shape_.operand_dtypes[k]));
        visit(labels, operands);
    });
}

/// Term by term, whatever the join is. Combining begins with the first, because 0 + -0 is 0.
CallAgain::Element CallAgain::terms_of_join(KernelCall const& call, ElementPlace const& place, Bases const& bases,
                                            WorkerTeam& team, scalar::Noise* noise, NoisySum& sum) const {
    scalar::Evaluator join(einsum_.join, types_.compute, types_.weak, params_, noise);
    bool const rounds = noise != nullptr && scalar::info(einsum_.agg).rounds && !is_exact(types_.accumulate);
    bool const adds = einsum_.agg == scalar::Agg::sum;
    std::optional<Scalar> total;
    std::optional<scalar::NoisyProduct> product;
    if (rounds && einsum_.agg == scalar::Agg::prod) product.emplace(*noise, types_.accumulate);
    Element out;
    out.terms = 0;
    for_each_term(call, place, bases, [&](std::vector<Extent> const& labels, std::vector<Scalar> const& operands) {
        Scalar value = join(operands, labels);
        if (types_.join != types_.accumulate) value = scalar::convert(value, types_.join, types_.accumulate);
        out.magnitude = adds ? out.magnitude + magnitude_of(value) : std::max(out.magnitude, magnitude_of(value));
        total = total ? scalar::combine(einsum_.agg, types_.accumulate, *total, value) : value;
        if (product) product->multiply(value.number);
        if (sum) sum->add(value.number);
        if (rounds && !adds && out.terms > 0) total->number = noise->rounded(total->number, types_.accumulate);
        out.terms += 1;
        if (static_cast<std::int64_t>(out.terms) % terms_a_pause == 0) team.pause();
    });
    out.value = total     ? *total
                : sparse_ ? value_without_contributions(shape_, types_, params_)
                          : scalar::identity(einsum_.agg, types_.accumulate);
    if (product) out.value.number = product->value();
    if (adds) return out;
    double const own = magnitude_of(out.value);  // of exponentials: the logarithm of how many there are rounds too
    out.magnitude = scalar::info(einsum_.agg).by_exponentials ? std::max(out.magnitude, own) : own;
    return out;
}

/// What the call accumulates onto is one more term.
void CallAgain::add_held(Element& to, Scalar const& held, scalar::Noise* noise, NoisySum& sum) const {
    Scalar const before = scalar::convert(held, shape_.output_dtype, types_.accumulate);
    to.value = scalar::combine(einsum_.agg, types_.accumulate, before, to.value);
    to.magnitude = einsum_.agg == scalar::Agg::sum ? to.magnitude + magnitude_of(before)
                                                   : std::max(to.magnitude, magnitude_of(to.value));
    to.terms += 1;
    if (sum)
        sum->add(before.number);
    else if (noise != nullptr && scalar::info(einsum_.agg).rounds && !is_exact(types_.accumulate))
        to.value.number = noise->rounded(to.value.number, types_.accumulate);
}

}  // namespace ein::executor
