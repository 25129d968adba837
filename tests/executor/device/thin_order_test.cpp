// Kernels that keep order, with operands that list far less than they have rows: which of them are found by offsets
// follows from a call's lengths.
#include <cstring>
#include <random>

#include "executor/device/cpu/cpu_device.hpp"
#include "lib/tensor/sparse/sparse_block.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

constexpr Extent many_rows = Extent{1} << 20, terms = 64, listed_rows = 10, columns = 3;

struct ThinBlock {
    SparseOperand sparse;
    std::vector<std::byte> bytes;
};

/// A matrix whose first rows list all that they may, by columns or by rows.
ThinBlock thin_block(Extent rows, Extent listed, Extent width, tensor::SparseLayout const& layout, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> real(0.5f, 1.0f);
    tensor::ListedElements elements{{{}, {}}, {}};
    for (Extent row = 0; row < listed; ++row)
        for (Extent column = 0; column < width; ++column) {
            elements.coords[0].push_back(row);
            elements.coords[1].push_back(column);
            float const value = real(random);
            auto const* const bytes = reinterpret_cast<std::byte const*>(&value);
            elements.values.insert(elements.values.end(), bytes, bytes + sizeof value);
        }
    ThinBlock block{{layout, {rows, width}, {0, 0}, scalar::Scalar::of(std::complex<double>(0))}, {}};
    block.bytes.resize(static_cast<std::size_t>(
        tensor::sparse_bytes(layout, block.sparse.lengths, DType::f32, elements.count(DType::f32))));
    tensor::write_sparse_block(elements, DType::f32, Box::whole(block.sparse.lengths), layout, block.bytes);
    return block;
}

/// The listed rows of the result of a call for so many rows.
std::vector<float> rows_of_call(bool both, tensor::SparseLayout const& layout, Extent rows) {
    schedule::Kernel const kernel{
        "N", both ? einsum("ij,jk->ik", {many_rows, terms, columns}) : einsum("ij,j->i", {many_rows, terms}),
        DType::f32};
    ThinBlock const a = thin_block(many_rows, listed_rows, terms, layout, 1);
    ThinBlock const b = thin_block(terms, terms, columns, {{0, 1}, true}, 2);
    std::vector<float> x(static_cast<std::size_t>(terms));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0f / static_cast<float>(3 + i);
    KernelShape shape;
    shape.kernel = &kernel;
    shape.lengths = kernel.einsum.extents;
    shape.lengths[0] = rows;
    shape.keeps_order = true;
    shape.operand_dtypes = {DType::f32, DType::f32};
    shape.output_dtype = DType::f32;
    shape.operand_strides = {{}, both ? std::vector<Extent>{} : std::vector<Extent>{1}};
    shape.output_strides = both ? std::vector<Extent>{columns, 1} : std::vector<Extent>{1};
    SparseOperands& sparse = shape.sparse.emplace();
    sparse.operands.resize(2);
    sparse.operands[0] = a.sparse;
    sparse.idle_sets = {{0}};
    if (both) {
        sparse.operands[1] = b.sparse;
        sparse.idle_sets.push_back({1});
    }
    Extent const width = both ? columns : 1;
    std::vector<float> output(static_cast<std::size_t>(rows * width));
    SoloWorkerTeam solo;
    std::vector<void const*> const operands{a.bytes.data(), both ? static_cast<void const*>(b.bytes.data()) : x.data()};
    CpuDevice().prepare(shape, {})->launch({operands, output.data(), std::vector<Extent>(shape.lengths.size(), 0)},
                                           solo);
    output.resize(static_cast<std::size_t>(listed_rows * width));
    return output;
}

}  // namespace

TEST_CASE("thin operands give a row the same bits in calls of few rows and of many", "[executor][device][sparse]") {
    for (bool const both : {false, true})
        for (tensor::SparseLayout const& layout :
             {tensor::SparseLayout{{0, 1}, true}, tensor::SparseLayout{{0, 1}, false},
              tensor::SparseLayout{{1, 0}, true}}) {
            CAPTURE(both, layout.axes, layout.compressed);
            std::vector<float> const whole = rows_of_call(both, layout, many_rows);
            for (Extent const rows : {listed_rows, Extent{5000}, many_rows / 2}) {
                std::vector<float> const part = rows_of_call(both, layout, rows);
                CAPTURE(rows);
                CHECK(std::memcmp(part.data(), whole.data(), whole.size() * sizeof(float)) == 0);
            }
        }
}

namespace {

constexpr Extent side = 150;

/// A square matrix that lists a third, of which its first columns alone are there.
ThinBlock part_of_square(Extent there, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> real(0.5f, 1.0f);
    tensor::ListedElements elements{{{}, {}}, {}};
    for (Extent row = 0; row < side; ++row)
        for (Extent column = 0; column < side; ++column) {
            bool const listed = random() % 3 == 0;
            float const value = real(random);
            if (!listed || column >= there) continue;
            elements.coords[0].push_back(row);
            elements.coords[1].push_back(column);
            auto const* const bytes = reinterpret_cast<std::byte const*>(&value);
            elements.values.insert(elements.values.end(), bytes, bytes + sizeof value);
        }
    tensor::SparseLayout const layout{{0, 1}, true};
    ThinBlock block{{layout, {side, there}, {0, 0}, scalar::Scalar::of(std::complex<double>(0))}, {}};
    block.bytes.resize(static_cast<std::size_t>(
        tensor::sparse_bytes(layout, block.sparse.lengths, DType::f32, elements.count(DType::f32))));
    tensor::write_sparse_block(elements, DType::f32, Box::whole(block.sparse.lengths), layout, block.bytes);
    return block;
}

/// The first `there` results of sums of x + y over what either lists.
std::vector<float> united_sums(Extent there) {
    schedule::Kernel const kernel{"N", einsum("ij,jk->k", {side, side, side}, "x + y"), DType::f32};
    ThinBlock const a = part_of_square(side, 1), b = part_of_square(there, 2);
    KernelShape shape;
    shape.kernel = &kernel;
    shape.lengths = {side, side, there};
    shape.keeps_order = true;
    shape.operand_dtypes = {DType::f32, DType::f32};
    shape.output_dtype = DType::f32;
    shape.operand_strides = {{}, {}};
    shape.output_strides = {1};
    SparseOperands& sparse = shape.sparse.emplace();
    sparse.operands = {a.sparse, b.sparse};
    sparse.idle_sets = {{0, 1}};
    std::vector<float> output(static_cast<std::size_t>(there));
    SoloWorkerTeam solo;
    std::vector<void const*> const operands{a.bytes.data(), b.bytes.data()};
    CpuDevice().prepare(shape, {})->launch({operands, output.data(), std::vector<Extent>(3, 0)}, solo);
    return output;
}

}  // namespace

/// The result has a label that one of two united operands lacks: shares of what they list would follow from its cut.
TEST_CASE("sums over what either of two sparse operands lists have the same bits at any cut",
          "[executor][device][sparse]") {
    std::vector<float> const whole = united_sums(side);
    for (Extent const there : {1, 40, 75, 149}) {
        std::vector<float> const part = united_sums(there);
        CAPTURE(there);
        CHECK(std::memcmp(part.data(), whole.data(), part.size() * sizeof(float)) == 0);
    }
}
