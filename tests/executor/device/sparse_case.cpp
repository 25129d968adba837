#include "tests/executor/device/sparse_case.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "executor/device/kernel/kernel_types.hpp"
#include "lib/base/error.hpp"
#include "lib/scalar/expression/type.hpp"
#include "tests/executor/device/random_kernel.hpp"

namespace ein::executor {

using scalar::Scalar;

namespace {

Scalar random_value(DType dtype, std::mt19937& random, bool special_values = false) {
    std::int64_t const whole = static_cast<std::int64_t>(random() % 9) - 4;
    if (dtype == DType::boolean) return Scalar::of(std::int64_t{whole > 0});
    if (is_exact(dtype)) return Scalar::of(dtype == DType::u8 ? std::abs(whole) : whole);
    double const imag = is_complex(dtype) ? static_cast<double>(random() % 5) / 4 - 0.5 : 0.0;
    Scalar value = Scalar::of(std::complex<double>(static_cast<double>(whole) / 4, imag));
    if (special_values && random() % 10 == 0)
        value.number = random() % 4 == 0 ? std::nan("") : random() % 2 == 0 ? HUGE_VAL : -HUGE_VAL;
    return value;
}

std::size_t bytes_of_block(SparseOperand const& operand, std::span<std::byte const> block, DType dtype) {
    return static_cast<std::size_t>(
        tensor::sparse_bytes(operand.layout, operand.lengths, dtype, tensor::listed_in(block)));
}

}  // namespace

tensor::SparseLayout random_layout(std::size_t order, std::mt19937& random) {
    tensor::SparseLayout layout;
    layout.axes.resize(order);
    std::iota(layout.axes.begin(), layout.axes.end(), 0);
    if (random() % 2 == 0) std::shuffle(layout.axes.begin(), layout.axes.end(), random);
    layout.compressed = order > 0 && random() % 4 != 0;
    return layout;
}

SparseCase::SparseCase(graph::EinSum einsum, std::vector<DType> operand_dtypes, DType output_dtype, DType compute)
    : kernel_{"test", std::move(einsum), compute} {
    shape_.kernel = &kernel_;
    shape_.lengths = kernel_.einsum.extents;
    shape_.operand_dtypes = std::move(operand_dtypes);
    shape_.output_dtype = output_dtype;
    begin_.assign(shape_.lengths.size(), 0);
    operands_.resize(kernel_.einsum.operands());
    shape_.operand_strides.resize(operands_.size());
}

Shape SparseCase::lengths_of(std::vector<int> const& axes) const {
    Shape lengths;
    for (int label : axes) lengths.push_back(shape_.lengths[static_cast<std::size_t>(label)]);
    return lengths;
}

SparseOperands& SparseCase::sparse() {
    if (!shape_.sparse) shape_.sparse.emplace().operands.resize(operands_.size());
    return *shape_.sparse;
}

SparseCase::Block SparseCase::lay_out(Shape const& lengths, DType dtype, std::vector<Extent>& strides,
                                      std::mt19937* random) {
    std::vector<std::size_t> order(lengths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    bool const larger = random != nullptr && (*random)() % 2 == 0;
    if (random != nullptr && (*random)() % 2 == 0) std::shuffle(order.begin(), order.end(), *random);
    strides.assign(lengths.size(), 0);
    Extent elements = 1, offset = 0;
    for (std::size_t place = order.size(); place-- > 0;) {
        std::size_t const axis = order[place];
        Extent const before = larger ? static_cast<Extent>((*random)() % 3) : 0,
                     after = larger ? static_cast<Extent>((*random)() % 3) : 0;
        strides[axis] = elements;
        offset += before * elements;
        elements *= lengths[axis] + before + after;
    }
    std::size_t const size = size_of(dtype);
    Block block{std::vector<std::byte>(static_cast<std::size_t>(elements) * size),
                elements == 0 ? 0 : static_cast<std::size_t>(offset) * size};
    return block;
}

SparseCase::Block SparseCase::draw(SparseOperand& sparse, std::vector<int> const& labels, DType dtype, double density,
                                   bool larger, std::mt19937& random) const {
    sparse.lengths = lengths_of(labels);
    sparse.begin.assign(labels.size(), 0);
    for (std::size_t axis = 0; larger && axis < labels.size(); ++axis) {
        sparse.begin[axis] = static_cast<Extent>(random() % 3);
        sparse.lengths[axis] += sparse.begin[axis] + static_cast<Extent>(random() % 3);
    }
    tensor::ListedElements elements;
    elements.coords.resize(labels.size());
    for_each_index(sparse.lengths, [&](std::vector<Extent> const& at) {
        if (static_cast<double>(random() % 10000) >= density * 10000) return;
        for (std::size_t axis = 0; axis < at.size(); ++axis) elements.coords[axis].push_back(at[axis]);
        elements.values.resize(elements.values.size() + size_of(dtype));
        store_element(random_value(dtype, random), elements.values.data() + elements.values.size() - size_of(dtype),
                      dtype);
    });
    Block block;
    block.bytes.resize(
        static_cast<std::size_t>(tensor::sparse_bytes(sparse.layout, sparse.lengths, dtype, elements.count(dtype))));
    tensor::write_sparse_block(elements, dtype, Box::whole(sparse.lengths), sparse.layout, block.bytes);
    return block;
}

void SparseCase::make_sparse(std::size_t operand, tensor::SparseLayout const& layout, Scalar fill, double density,
                             bool larger, std::mt19937& random) {
    SparseOperand& made = sparse().operands[operand].emplace(SparseOperand{layout, {}, {}, fill});
    operands_[operand] =
        draw(made, kernel_.einsum.inputs[operand], shape_.operand_dtypes[operand], density, larger, random);
}

void SparseCase::make_output_sparse(tensor::SparseLayout const& layout, Scalar fill, double density, bool larger,
                                    std::mt19937& random) {
    SparseOperand& made = sparse().output.emplace(SparseOperand{layout, {}, {}, fill});
    output_ = draw(made, kernel_.einsum.output, shape_.output_dtype, density, larger, random);
}

void SparseCase::make_dense(std::mt19937& random, bool special_values) {
    auto const make = [&](Block& block, std::vector<int> const& labels, DType dtype, std::vector<Extent>& strides,
                          bool special) {
        block = lay_out(lengths_of(labels), dtype, strides, &random);
        for (std::size_t at = 0; at + size_of(dtype) <= block.bytes.size(); at += size_of(dtype))
            store_element(random_value(dtype, random, special), block.bytes.data() + at, dtype);
    };
    for (std::size_t k = 0; k < operands_.size(); ++k)
        if (!is_sparse(shape_, k))
            make(operands_[k], kernel_.einsum.inputs[k], shape_.operand_dtypes[k], shape_.operand_strides[k],
                 special_values);
    if (!shape_.sparse || !shape_.sparse->output)
        make(output_, kernel_.einsum.output, shape_.output_dtype, shape_.output_strides, false);
}

std::unique_ptr<SparseCase> SparseCase::densified() const {
    auto dense =
        std::make_unique<SparseCase>(kernel_.einsum, shape_.operand_dtypes, shape_.output_dtype, kernel_.compute);
    dense->begin_ = begin_;
    dense->output_ = output_;
    dense->shape_.output_strides = shape_.output_strides;
    dense->shape_.accumulate = shape_.accumulate;
    for (std::size_t k = 0; k < operands_.size(); ++k) {
        if (!is_sparse(shape_, k)) {
            dense->operands_[k] = operands_[k];
            dense->shape_.operand_strides[k] = shape_.operand_strides[k];
            continue;
        }
        SparseOperand const& from = *shape_.sparse->operands[k];
        DType const type = shape_.operand_dtypes[k];
        std::vector<Extent>& strides = dense->shape_.operand_strides[k];
        Block& block = dense->operands_[k] = lay_out(from.lengths, type, strides, nullptr);
        for (std::size_t at = 0; at < block.bytes.size(); at += size_of(type))
            store_element(from.fill, block.bytes.data() + at, type);
        auto const elements = tensor::elements_of(operands_[k].bytes, type, Box::whole(from.lengths), from.layout);
        for (std::size_t e = 0; e < static_cast<std::size_t>(elements.count(type)); ++e) {
            std::size_t to = 0;
            for (std::size_t axis = 0; axis < strides.size(); ++axis)
                to += static_cast<std::size_t>(strides[axis] * elements.coords[axis][e]);
            std::copy_n(elements.values.data() + e * size_of(type), size_of(type),
                        block.bytes.data() + to * size_of(type));
        }
        for (std::size_t axis = 0; axis < strides.size(); ++axis)
            block.offset += static_cast<std::size_t>(strides[axis] * from.begin[axis]) * size_of(type);
        if (block.bytes.empty()) block.offset = 0;
    }
    return dense;
}

std::vector<std::byte> SparseCase::run(Device& device, WorkerTeam& team) const {
    std::vector<void const*> operands;
    for (Block const& block : operands_) operands.push_back(block.bytes.data() + block.offset);
    std::vector<std::byte> output = output_.bytes;
    bool const sparse = shape_.sparse && shape_.sparse->output;
    SparseOperand const* const written = sparse ? &*shape_.sparse->output : nullptr;
    if (sparse) {
        output.resize(static_cast<std::size_t>(tensor::sparse_bytes(
            written->layout, written->lengths, shape_.output_dtype, element_count(written->lengths))));
        if (!shape_.accumulate) std::fill(output.begin(), output.end(), std::byte{0xff});
    }
    auto const prepared = device.prepare(shape_, {{"eta", 0.5}});
    prepared->launch({operands, output.data() + output_.offset, begin_, {}, output.size()}, team);
    if (!sparse) return output;
    tensor::check_sparse_block(output, shape_.output_dtype, Box::whole(written->lengths), written->layout);
    output.resize(bytes_of_block(*written, output, shape_.output_dtype));
    return output;
}

std::string SparseCase::difference(std::vector<std::byte> const& found, std::vector<std::byte> const& expected,
                                   double tolerance) const {
    DType const type = shape_.output_dtype;
    auto const elements = [&](std::vector<std::byte> const& bytes) {
        std::vector<Scalar> out;
        for (std::size_t at = 0; at < bytes.size(); at += size_of(type)) out.push_back(load_element(&bytes[at], type));
        return out;
    };
    if (!shape_.sparse || !shape_.sparse->output)
        return executor::difference(elements(found), elements(expected), tolerance);
    SparseOperand const& written = *shape_.sparse->output;
    auto const listed = [&](std::vector<std::byte> const& block) {
        return tensor::elements_of(block, type, Box::whole(written.lengths), written.layout);
    };
    auto const f = listed(found), e = listed(expected);
    if (f.coords != e.coords)
        return "other elements are listed: " + std::to_string(f.count(type)) + ", expected " +
               std::to_string(e.count(type));
    return executor::difference(elements(f.values), elements(e.values), tolerance);
}

std::string SparseCase::describe() const {
    graph::EinSum const& einsum = kernel_.einsum;
    std::string text;
    auto const add = [&](std::vector<int> const& labels, DType dtype, std::optional<SparseOperand> const& sparse) {
        for (int label : labels) text += einsum.labels[static_cast<std::size_t>(label)];
        text += ":" + std::string(name(dtype));
        if (!sparse) return;
        text += " sparse[";
        for (int axis : sparse->layout.axes) text += std::to_string(axis);
        text += sparse->layout.compressed ? "]" : " listed]";
        text += " of " + to_string(sparse->lengths) + " at " + to_string(sparse->begin);
    };
    for (std::size_t k = 0; k < operands_.size(); ++k) {
        text += k == 0 ? "" : ", ";
        add(einsum.inputs[k], shape_.operand_dtypes[k],
            shape_.sparse ? shape_.sparse->operands[k] : std::optional<SparseOperand>());
    }
    text += " -> ";
    add(einsum.output, shape_.output_dtype, shape_.sparse ? shape_.sparse->output : std::optional<SparseOperand>());
    text += " lengths " + to_string(shape_.lengths) + " agg " + std::string(scalar::name(einsum.agg)) + " compute " +
            std::string(name(kernel_.compute)) + (shape_.accumulate ? " accumulate" : "") + " idle";
    if (shape_.sparse)
        for (auto const& set : shape_.sparse->idle_sets) {
            text += " {";
            for (int k : set) text += std::to_string(k);
            text += "}";
        }
    return text + " join " + scalar::print(einsum.join, {static_cast<int>(einsum.operands()), einsum.labels, {"eta"}});
}

namespace {

std::string random_join(std::mt19937& random, std::size_t operands, std::string const& labels) {
    std::array<std::string, 4> const names{"x", "y", "z", "x3"};
    std::string join = names[0];
    for (std::size_t k = 1; k < operands; ++k) switch (random() % 6) {
            case 0: join += " + " + names[k]; break;
            case 1: join = "max(" + join + ", " + names[k] + ")"; break;
            case 2: join = "where(" + names[k] + " > 0, " + join + ", 1)"; break;
            default: join = "(" + join + ")*" + names[k];
        }
    if (random() % 8 == 0) join = "eta*(" + join + ")";
    if (random() % 8 == 0) join = "abs(" + join + ") - 1";
    if (!labels.empty() && random() % 6 == 0) join = random_indexed(random, join, labels);
    return join;
}

std::string random_subscripts(std::mt19937& random, std::size_t operands, std::size_t labels, std::string& used) {
    std::string text, all = std::string("abcde").substr(0, labels);
    for (std::size_t k = 0; k < operands; ++k) {
        std::shuffle(all.begin(), all.end(), random);
        std::string part = all.substr(0, below(random, labels + 1));
        if (!part.empty() && random() % 6 == 0) part += part[below(random, part.size())];  // a diagonal
        for (char c : part)
            if (used.find(c) == std::string::npos) used += c;
        text += (k == 0 ? "" : ",") + part;
    }
    std::shuffle(all.begin(), all.end(), random);
    std::string const output = all.substr(0, below(random, labels + 1));
    for (char c : output)
        if (used.find(c) == std::string::npos) used += c;
    return text + "->" + output;
}

Scalar random_fill(DType dtype, std::mt19937& random) {
    std::int64_t const whole = static_cast<std::int64_t>(random() % 2);
    if (is_exact(dtype)) return Scalar::of(whole);
    double const values[] = {0, 0, 0, 1, HUGE_VAL, -HUGE_VAL};
    return Scalar::of(std::complex<double>(values[random() % (is_complex(dtype) ? 4 : 6)]));
}

double random_density(std::mt19937& random) {
    double const values[] = {0, 0.02, 0.1, 0.3, 0.6, 1};
    return values[random() % 6];
}

/// Each sparse operand is in one or two sets.
std::vector<std::vector<int>> random_idle_sets(std::vector<int> sparse, std::mt19937& random) {
    std::shuffle(sparse.begin(), sparse.end(), random);
    std::vector<std::vector<int>> sets;
    for (int k : sparse) {
        if (sets.empty() || random() % 2 == 0) sets.emplace_back();
        for (int times = 1 + (random() % 3 == 0); times > 0; --times) {
            std::vector<int>& set = sets[random() % sets.size()];
            if (std::find(set.begin(), set.end(), k) == set.end()) set.push_back(k);
        }
    }
    std::erase_if(sets, [](std::vector<int> const& set) { return set.empty(); });
    if (sets.size() > 1 && random() % 4 == 0) sets.pop_back();
    return sets;
}

}  // namespace

std::unique_ptr<SparseCase> random_sparse_case(std::mt19937& random, bool long_labels) {
    std::size_t const operands = 1 + below(random, 4), labels = 1 + below(random, long_labels ? 3 : 5);
    std::string used;
    std::string const subscripts = random_subscripts(random, operands, labels, used),
                      join = random_join(random, operands, used);
    Shape const extents = random_extents(random, used.size(), long_labels ? Lengths::many : Lengths::few);
    auto const agg = static_cast<scalar::Agg>(random() % 2 == 0 ? 0 : below(random, 7));
    DType const common = random_dtype(random);
    std::vector<DType> const dtypes = random_dtypes(random, operands, common);
    DType output = random() % 3 == 0 ? random_dtype(random) : common;
    auto test = std::make_unique<SparseCase>(executor::einsum(subscripts, extents, join, agg), dtypes, output,
                                             compute_dtype(dtypes, output));
    KernelShape& shape = test->shape();
    if (!scalar::type_of(test->einsum().join, shape.kernel->compute, compute_dtype({}, output)).problem.empty())
        return nullptr;
    KernelTypes const types = types_of(shape);
    bool const rounding = kind(types.accumulate) >= Kind::real && kind(output) < Kind::real;
    if (rounding) return nullptr;  // a last bit may change an integer
    if (agg == scalar::Agg::prod && (long_labels || kind(output) < kind(types.accumulate))) return nullptr;
    if (is_complex(types.accumulate) && agg != scalar::Agg::sum && agg != scalar::Agg::prod) return nullptr;
    shape.accumulate = random() % 3 == 0;
    if (shape.accumulate) output = shape.output_dtype = types.accumulate;
    std::vector<int> sparse;
    for (std::size_t k = 0; k < operands; ++k)
        if (random() % 3 != 0) sparse.push_back(static_cast<int>(k));
    if (sparse.empty()) sparse.push_back(0);
    for (int k : sparse) {
        auto const operand = static_cast<std::size_t>(k);
        test->make_sparse(operand, random_layout(test->einsum().inputs[operand].size(), random),
                          random_fill(dtypes[operand], random), random_density(random), random() % 3 == 0, random);
    }
    if (random() % 2 == 0)
        test->make_output_sparse(random_layout(test->einsum().output.size(), random), random_fill(output, random),
                                 random_density(random), random() % 3 == 0, random);
    shape.sparse->idle_sets = random_idle_sets(sparse, random);
    test->make_dense(random, random() % 5 == 0 && !is_complex(types.compute) && kind(output) >= Kind::real);
    for (Extent& begin : test->begin()) begin = static_cast<Extent>(below(random, 5));
    return test;
}

}  // namespace ein::executor
