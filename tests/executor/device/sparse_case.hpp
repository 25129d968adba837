// A kernel with sparse operands, drawn at random or laid out by hand, for comparing devices.
// Example: SparseCase test(einsum("ij,j->i", {3, 4}), {f64, f64}, f64, f64); test.make_sparse(0, ...); run(device,
// team).
#pragma once

#include <random>
#include <string>

#include "tests/executor/device/kernel_case.hpp"

namespace ein::executor {

/// A block's layout: axes in any order, now and then not compressed.
tensor::SparseLayout random_layout(std::size_t order, std::mt19937& random);

class SparseCase {
public:
    SparseCase(graph::EinSum einsum, std::vector<DType> operand_dtypes, DType output_dtype, DType compute);
    SparseCase(SparseCase const&) = delete;

    KernelShape& shape() { return shape_; }
    KernelShape const& shape() const { return shape_; }
    graph::EinSum const& einsum() const { return kernel_.einsum; }
    std::vector<Extent>& begin() { return begin_; }
    std::vector<std::byte>& operand(std::size_t k) { return operands_[k].bytes; }

    /// Each element with this probability, in a block that is larger than what is read where `larger` says so.
    void make_sparse(std::size_t operand, tensor::SparseLayout const& layout, scalar::Scalar fill, double density,
                     bool larger, std::mt19937& random);
    /// What the output holds before the call is drawn likewise.
    void make_output_sparse(tensor::SparseLayout const& layout, scalar::Scalar fill, double density, bool larger,
                            std::mt19937& random);
    /// Dense operands and the output: axes in any order in memory, small values.
    void make_dense(std::mt19937& random, bool special_values);
    /// The same kernel on dense blocks: what is not listed is its fill.
    std::unique_ptr<SparseCase> densified() const;

    /// The output's bytes after the call; of a sparse one those that its block takes. A sparse one is checked.
    std::vector<std::byte> run(Device& device, WorkerTeam& team) const;
    /// Where the outputs of two runs differ (see difference in kernel_case.hpp), or "".
    std::string difference(std::vector<std::byte> const& found, std::vector<std::byte> const& expected,
                           double tolerance) const;
    std::string describe() const;

private:
    struct Block {
        std::vector<std::byte> bytes;
        std::size_t offset = 0;
    };
    Shape lengths_of(std::vector<int> const& axes) const;
    SparseOperands& sparse();
    static Block lay_out(Shape const& lengths, DType dtype, std::vector<Extent>& strides, std::mt19937* random);
    Block draw(SparseOperand& sparse, std::vector<int> const& labels, DType dtype, double density, bool larger,
               std::mt19937& random) const;

    schedule::Kernel kernel_;
    KernelShape shape_;
    std::vector<Extent> begin_;
    std::vector<Block> operands_;
    Block output_;
};

/// Drawn with everything that a kernel may have; nullptr for one that has no meaning, or whose last bits may differ.
std::unique_ptr<SparseCase> random_sparse_case(std::mt19937& random, bool long_labels);

}  // namespace ein::executor
