// Kernels that keep order: an element has the same bits whatever part of the node's output a call makes.
#include <cstring>

#include "executor/device/cpu/cpu_device.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using scalar::Agg;

namespace {

std::size_t numbers_of(DType type) { return is_complex(type) ? 2 : 1; }

/// A tensor of f32 or c64 that is all there, with its axes' extents.
struct Tensor {
    Shape shape;
    DType type = DType::f32;
    std::vector<float> numbers;  // one of an element, or two
};

Tensor random_tensor(Shape shape, DType type, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    Tensor out{std::move(shape), type, {}};
    out.numbers.resize(static_cast<std::size_t>(element_count(out.shape)) * numbers_of(type));
    for (float& number : out.numbers) number = uniform(random);
    return out;
}

/// What a box of a tensor holds, as a block of its own.
std::vector<float> part_of(Tensor const& tensor, Box const& box) {
    std::vector<float> out;
    std::vector<Extent> const strides = row_major_strides(tensor.shape);
    for_each_index(box.length, [&](std::vector<Extent> const& index) {
        Extent at = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) at += (box.begin[axis] + index[axis]) * strides[axis];
        for (std::size_t part = 0; part < numbers_of(tensor.type); ++part)
            out.push_back(tensor.numbers[static_cast<std::size_t>(at) * numbers_of(tensor.type) + part]);
    });
    return out;
}

class OrderedKernel {
public:
    OrderedKernel(graph::EinSum einsum, std::vector<DType> const& types, DType type)
        : kernel_{"N", std::move(einsum), type} {
        for (std::vector<int> const& axes : kernel_.einsum.inputs) {
            std::size_t const k = operands_.size();
            operands_.push_back(random_tensor(projected(whole(), axes).length, types[k], 7 + static_cast<unsigned>(k)));
        }
    }

    Box whole() const { return Box::whole(kernel_.einsum.extents); }

    /// The output of a call for this region of the labels.
    std::vector<float> call(Box const& region, int threads) const {
        KernelShape shape;
        shape.kernel = &kernel_;
        shape.lengths = region.length;
        shape.keeps_order = true;
        std::vector<std::vector<float>> blocks;
        std::vector<void const*> pointers;
        for (std::size_t k = 0; k < operands_.size(); ++k) {
            Box const box = projected(region, kernel_.einsum.inputs[k]);
            shape.operand_strides.push_back(row_major_strides(box.length));
            shape.operand_dtypes.push_back(operands_[k].type);
            blocks.push_back(part_of(operands_[k], box));
        }
        for (std::vector<float> const& block : blocks) pointers.push_back(block.data());
        Box const written = projected(region, kernel_.einsum.output);
        shape.output_strides = row_major_strides(written.length);
        shape.output_dtype = kernel_.compute;
        std::vector<float> output(static_cast<std::size_t>(written.elements()) * numbers_of(kernel_.compute));
        TestTeam team(threads);
        CpuDevice().prepare(shape, {})->launch({pointers, output.data(), region.begin}, team);
        return output;
    }

    Tensor result(int threads) const {
        return {projected(whole(), kernel_.einsum.output).length, kernel_.compute, call(whole(), threads)};
    }
    std::vector<int> const& output() const { return kernel_.einsum.output; }

private:
    schedule::Kernel kernel_;
    std::vector<Tensor> operands_;
};

bool same(std::vector<float> const& a, std::vector<float> const& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Calls for every part of the output that cuts one label.
void check_parts(OrderedKernel const& kernel, Shape const& extents) {
    Tensor const result = kernel.result(1);
    CHECK(same(kernel.result(3).numbers, result.numbers));
    for (int const label : kernel.output()) {
        Extent const extent = extents[static_cast<std::size_t>(label)];
        for (Extent const cut : {Extent{1}, extent / 3, extent - 1}) {
            if (cut < 1 || cut >= extent) continue;
            for (bool const lower : {true, false}) {
                Box region = kernel.whole();
                region.begin[static_cast<std::size_t>(label)] = lower ? 0 : cut;
                region.length[static_cast<std::size_t>(label)] = lower ? cut : extent - cut;
                CAPTURE(label, cut, lower);
                CHECK(same(kernel.call(region, 2), part_of(result, projected(region, kernel.output()))));
            }
        }
    }
}

}  // namespace

TEST_CASE("a kernel that keeps order gives every part of its output the bits of the whole", "[executor][device]") {
    struct Case {
        std::string form, join;
        Shape extents;
        Agg agg;
    };
    Case const at = GENERATE(
        Case{"ij,jk->ik", "", {40, 700, 50}, Agg::sum}, Case{"ij,jk->ik", "", {40, 9000, 24}, Agg::sum},
        Case{"ij,j->i", "", {300, 900}, Agg::sum}, Case{"bij,bkj->bik", "", {3, 20, 150, 30}, Agg::sum},
        Case{"ibj,jbk->kib", "", {17, 5, 190, 23}, Agg::sum},
        Case{"acbd,cedf->afbe", "", {3, 6, 2, 8, 16, 40}, Agg::sum},
        Case{"aij,jkc->ik", "", {3, 17, 190, 11, 4}, Agg::sum}, Case{"bij,bij->b", "", {7, 110, 130}, Agg::sum},
        Case{"ij,jk->ik", "x+y", {30, 700, 40}, Agg::min}, Case{"ij,jk->ik", "abs(x-y)", {30, 700, 40}, Agg::sum},
        Case{"ij,jk->ik", "exp(-abs(x-y))", {30, 300, 40}, Agg::sum}, Case{"ij->i", "", {50, 7000}, Agg::sum},
        Case{"ij->j", "", {7000, 50}, Agg::sum}, Case{"ij->j", "", {150000, 3}, Agg::sum},
        Case{"ijk->j", "x*x", {60, 30, 50}, Agg::sum}, Case{"ij->i", "", {33, 9000}, Agg::logsumexp},
        Case{"ij->j", "", {9000, 33}, Agg::logsumexp}, Case{"ij->i", "", {50, 33}, Agg::logsumexp},
        Case{"ij->i", "", {50, 16}, Agg::logsumexp}, Case{"ij->j", "1+x/999", {9000, 33}, Agg::prod},
        Case{"ij,i->j", "exp(x-y)", {700, 300}, Agg::sum}, Case{"ij->i", "x*[j]", {60, 5000}, Agg::sum},
        Case{"ij->j", "x*0", {700, 33}, Agg::max}, Case{"ij->j", "x*0", {70, 17}, Agg::min},  // zeros of both signs
        Case{"ikj->ij", "x*0", {70, 9, 3}, Agg::max}, Case{"ij->i", "x*0", {70, 33}, Agg::min});
    CAPTURE(at.form, at.join, at.extents, at.agg);
    graph::EinSum const form = einsum(at.form, at.extents, at.join, at.agg);
    check_parts({form, std::vector(form.operands(), DType::f32), DType::f32}, at.extents);
}

TEST_CASE("a kernel of complex numbers, conjugates or one real operand that keeps order does the same",
          "[executor][device]") {
    struct Case {
        std::string form, join;
        Shape extents;
        DType first, second;
    };
    constexpr DType f32 = DType::f32, c64 = DType::c64;
    Case const at = GENERATE(
        Case{"ij,jk->ik", "", {40, 700, 50}, c64, c64}, Case{"ij,jk->ik", "conj(x)*y", {23, 900, 37}, c64, c64},
        Case{"bij,bkj->bik", "x*conj(y)", {5, 20, 150, 30}, c64, c64},
        Case{"bij,bjk->bik", "conj(x*y)", {37, 9, 21, 17}, c64, c64},
        Case{"ibj,jbk->kib", "", {17, 5, 190, 23}, c64, c64}, Case{"ij,jk->ik", "", {40, 700, 50}, f32, c64},
        Case{"acbd,cedf->afbe", "", {3, 6, 2, 8, 16, 40}, c64, f32},
        Case{"bij,bjk->bki", "", {37, 9, 21, 17}, f32, c64});
    CAPTURE(at.form, at.join, at.extents, at.first, at.second);
    check_parts({einsum(at.form, at.extents, at.join), {at.first, at.second}, c64}, at.extents);
}
