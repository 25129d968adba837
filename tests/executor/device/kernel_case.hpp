// A kernel with its shape, operands and output, for comparing devices. Operands and outputs may be views into larger
// blocks.
// Example: KernelCase(einsum("ij,jk->ik", {2, 3, 4}), {f32, f32}, f32).fill(random), then run(device, team) gives the
// output's bytes.
#pragma once

#include <random>
#include <string>

#include "executor/device/device.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/scalar/expression/parse/parse.hpp"

namespace ein::executor {

/// "ij,jk->ik" ("!->ij" has no operand) with labels in order of appearance; the join is parsed with labels by name,
/// default the product.
graph::EinSum einsum(std::string const& subscripts, Shape const& extents, std::string const& join = "",
                     scalar::Agg agg = scalar::Agg::sum);

/// A call of a whole kernel on blocks in C order. @param kernel  stays where it is
KernelShape whole_shape(schedule::Kernel const& kernel, std::vector<DType> operands, DType output);

class KernelCase {
public:
    KernelCase(graph::EinSum einsum, std::vector<DType> operand_dtypes, DType output_dtype, DType compute);
    KernelCase(KernelCase const&) = delete;

    /// Lays operands and output out with axes in any order in memory, inside blocks that are larger than what is read.
    void scatter_layout(std::mt19937& random);
    /// Small values, multiples of a quarter: sums and products of a few are exact.
    void fill(std::mt19937& random, bool special_values = false);

    /// Operands of f32, at random in [-1, 1): their sums round, so that their bits show how they were added.
    void fill_with_fractions(unsigned seed);

    KernelShape& shape() { return shape_; }
    schedule::Kernel& kernel() { return kernel_; }
    std::vector<Extent>& begin() { return begin_; }
    scalar::Params& params() { return params_; }
    std::vector<std::byte>& operand(std::size_t k) { return operands_[k].bytes; }
    std::vector<std::byte> run(Device& device, WorkerTeam& team) const;

    /// The output's elements, in the output's C order.
    std::vector<scalar::Scalar> elements(std::vector<std::byte> const& output) const;

private:
    struct Block {
        std::vector<std::byte> bytes;
        std::size_t offset = 0;  // of the first element that is read or written, in bytes
    };
    Shape lengths_of(std::vector<int> const& axes) const;
    static Block lay_out(Shape const& lengths, DType dtype, std::vector<Extent>& strides, std::mt19937* random);
    static void fill_block(Block& block, DType dtype, std::mt19937& random, bool special_values);

    schedule::Kernel kernel_;
    KernelShape shape_;
    std::vector<Extent> begin_;
    scalar::Params params_{{"eta", 0.5}};
    std::vector<Block> operands_;
    Block output_;
};

/// Whether two outputs agree: exactly for integers and bool, else within `tolerance` relative to max(1, magnitude).
/// @return the first place that differs, or ""
std::string difference(std::vector<scalar::Scalar> const& found, std::vector<scalar::Scalar> const& expected,
                       double tolerance);

/// Of a kernel that rounds in these types; relative, as difference() takes it.
double tolerance_of(DType output, DType accumulate);

/// The reference's output.
std::vector<scalar::Scalar> reference_of(KernelCase const& test);
/// Where the CPU's output differs from what is expected (see difference), or "".
std::string compare(KernelCase const& test, std::vector<scalar::Scalar> const& expected, double tolerance);
/// From the reference's.
std::string compare(KernelCase const& test, double tolerance);

}  // namespace ein::executor
