#include "tests/executor/device/kernel_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

graph::EinSum einsum(std::string const& subscripts, Shape const& extents, std::string const& join, scalar::Agg agg) {
    graph::EinSum made;
    std::vector<int> axes;
    bool inputs_done = false;
    for (char c : subscripts + ";") {
        if (c == '>' || c == '!') continue;
        if (c == ',' || c == '-' || c == ';') {
            if (inputs_done)
                made.output = axes;
            else if (subscripts.front() != '!')
                made.inputs.push_back(axes);
            axes.clear();
            inputs_done = inputs_done || c == '-';
            continue;
        }
        std::string const name(1, c);
        auto const known = std::find(made.labels.begin(), made.labels.end(), name);
        axes.push_back(static_cast<int>(known - made.labels.begin()));
        if (known == made.labels.end()) made.labels.push_back(name);
    }
    made.extents = extents;
    made.agg = agg;
    int const operands = static_cast<int>(made.inputs.size());
    if (join.empty())
        made.join = scalar::product(operands);
    else
        made.join = scalar::parse(join, {operands, made.labels, {"eta"}}).expr;
    if (made.join.empty()) throw InternalError("a test's join does not parse: " + join);
    return made;
}

KernelShape whole_shape(schedule::Kernel const& kernel, std::vector<DType> operands, DType output) {
    KernelShape shape;
    shape.kernel = &kernel;
    shape.lengths = kernel.einsum.extents;
    auto const strides = [&](std::vector<int> const& axes) {
        Shape lengths;
        for (int axis : axes) lengths.push_back(shape.lengths[static_cast<std::size_t>(axis)]);
        return row_major_strides(lengths);
    };
    for (auto const& axes : kernel.einsum.inputs) shape.operand_strides.push_back(strides(axes));
    shape.operand_dtypes = std::move(operands);
    shape.output_strides = strides(kernel.einsum.output);
    shape.output_dtype = output;
    return shape;
}

KernelCase::KernelCase(graph::EinSum einsum, std::vector<DType> operand_dtypes, DType output_dtype, DType compute)
    : kernel_{"test", std::move(einsum), compute} {
    shape_.kernel = &kernel_;
    shape_.lengths = kernel_.einsum.extents;
    shape_.operand_dtypes = std::move(operand_dtypes);
    shape_.output_dtype = output_dtype;
    begin_.assign(shape_.lengths.size(), 0);
    operands_.resize(kernel_.einsum.operands());
    shape_.operand_strides.resize(operands_.size());
    for (std::size_t k = 0; k < operands_.size(); ++k)
        operands_[k] =
            lay_out(lengths_of(kernel_.einsum.inputs[k]), shape_.operand_dtypes[k], shape_.operand_strides[k], nullptr);
    output_ = lay_out(lengths_of(kernel_.einsum.output), output_dtype, shape_.output_strides, nullptr);
}

Shape KernelCase::lengths_of(std::vector<int> const& axes) const {
    Shape lengths;
    for (int label : axes) lengths.push_back(shape_.lengths[static_cast<std::size_t>(label)]);
    return lengths;
}

KernelCase::Block KernelCase::lay_out(Shape const& lengths, DType dtype, std::vector<Extent>& strides,
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
                static_cast<std::size_t>(offset) * size};
    if (elements == 0) block.offset = 0;
    return block;
}

void KernelCase::scatter_layout(std::mt19937& random) {
    for (std::size_t k = 0; k < operands_.size(); ++k)
        operands_[k] =
            lay_out(lengths_of(kernel_.einsum.inputs[k]), shape_.operand_dtypes[k], shape_.operand_strides[k], &random);
    output_ = lay_out(lengths_of(kernel_.einsum.output), shape_.output_dtype, shape_.output_strides, &random);
}

void KernelCase::fill_block(Block& block, DType dtype, std::mt19937& random, bool special_values) {
    std::size_t const size = size_of(dtype);
    for (std::size_t at = 0; at + size <= block.bytes.size(); at += size) {
        std::int64_t const whole = static_cast<std::int64_t>(random() % 9) - 4;
        scalar::Scalar value = scalar::Scalar::of(dtype == DType::u8        ? std::abs(whole)
                                                  : dtype == DType::boolean ? whole > 0
                                                                            : whole);
        if (!is_exact(dtype)) {
            double const imag = is_complex(dtype) ? static_cast<double>(random() % 5) / 4 - 0.5 : 0.0;
            value = scalar::Scalar::of(std::complex<double>(static_cast<double>(whole) / 4, imag));
            if (special_values && random() % 10 == 0)
                value.number = random() % 4 == 0 ? std::nan("") : random() % 2 == 0 ? HUGE_VAL : -HUGE_VAL;
        }
        store_element(value, block.bytes.data() + at, dtype);
    }
}

void KernelCase::fill(std::mt19937& random, bool special_values) {
    for (std::size_t k = 0; k < operands_.size(); ++k)
        fill_block(operands_[k], shape_.operand_dtypes[k], random, special_values);
    fill_block(output_, shape_.output_dtype, random, false);
}

void KernelCase::fill_with_fractions(unsigned seed) {
    std::mt19937 random(seed);
    for (Block& block : operands_)
        for (std::size_t at = 0; at + 4 <= block.bytes.size(); at += 4) {
            float const value = static_cast<float>(random()) * 0x1p-31f - 1;
            std::memcpy(block.bytes.data() + at, &value, 4);
        }
}

namespace {

/// What other kernels leave in working memory must not matter: as a number it is huge, as a place far outside. All that
/// they may have written since the last time is spoilt again.
void spoil_scratch() {
    constexpr std::size_t most = std::size_t{2} << 20;
    thread_local bool before = false;
    std::size_t const bytes = std::exchange(before, true) ? std::min(Scratch::take_peak(), most) : most;
    {
        Scratch const all(bytes);
        std::memset(all.data(), 0x7f, bytes);
    }
    Scratch::take_peak();
}

}  // namespace

std::vector<std::byte> KernelCase::run(Device& device, WorkerTeam& team) const {
    std::vector<void const*> operands;
    for (Block const& block : operands_) operands.push_back(block.bytes.data() + block.offset);
    std::vector<std::byte> output = output_.bytes;
    auto const prepared = device.prepare(shape_, params_);
    spoil_scratch();
    prepared->launch({operands, output.data() + output_.offset, begin_}, team);
    return output;
}

std::vector<scalar::Scalar> KernelCase::elements(std::vector<std::byte> const& output) const {
    std::vector<scalar::Scalar> found;
    for (std::size_t at = 0; at < output.size(); at += size_of(shape_.output_dtype))
        found.push_back(load_element(output.data() + at, shape_.output_dtype));
    return found;
}

namespace {

bool close(double found, double expected, double tolerance) {
    if (std::isnan(expected) || std::isnan(found)) return std::isnan(expected) && std::isnan(found);
    if (std::isinf(expected) || std::isinf(found)) return expected == found;
    return std::abs(found - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

}  // namespace

std::string difference(std::vector<scalar::Scalar> const& found, std::vector<scalar::Scalar> const& expected,
                       double tolerance) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
        scalar::Scalar const &f = found[i], &e = expected[i];
        bool const same = e.is_integer ? f.integer == e.integer
                                       : close(f.number.real(), e.number.real(), tolerance) &&
                                             close(f.number.imag(), e.number.imag(), tolerance);
        if (same) continue;
        auto const text = [](scalar::Scalar const& value) {
            if (value.is_integer) return std::to_string(value.integer);
            return std::to_string(value.number.real()) + "+" + std::to_string(value.number.imag()) + "i";
        };
        return "element " + std::to_string(i) + " is " + text(f) + ", expected " + text(e);
    }
    return "";
}

double tolerance_of(DType output, DType accumulate) {
    auto const of = [](DType type) {
        switch (type) {
            case DType::f16: return 4e-3;
            case DType::bf16: return 3e-2;
            case DType::f32:
            case DType::c64: return 2e-5;
            default: return 1e-12;
        }
    };
    return std::max(of(output), of(accumulate));
}

std::vector<scalar::Scalar> reference_of(KernelCase const& test) {
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    return test.elements(test.run(reference, solo));
}

std::string compare(KernelCase const& test, std::vector<scalar::Scalar> const& expected, double tolerance) {
    CpuDevice cpu;
    SoloWorkerTeam solo;
    return difference(test.elements(test.run(cpu, solo)), expected, tolerance);
}

std::string compare(KernelCase const& test, double tolerance) { return compare(test, reference_of(test), tolerance); }

}  // namespace ein::executor
