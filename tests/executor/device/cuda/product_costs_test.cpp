// What was measured to be faster on an H200 (scripts/bench/gpu_kernels.cpp), by a quarter or more, is chosen.
#include "executor/device/cuda/product_costs.hpp"

#include "executor/device/kernel/nest.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using enum ein::DType;

namespace {

enum class Faster { cublas, text };

struct Measured {
    std::string form;
    Shape extents;  // of labels in the order in which they come up
    DType dtype;
    Faster faster;
};

Nest nest_of(Measured const& work) {
    schedule::Kernel const kernel{"test", einsum(work.form, work.extents, "x*y"),
                                  compute_dtype(std::array{work.dtype, work.dtype}, work.dtype)};
    Nest nest = make_nest(whole_shape(kernel, {work.dtype, work.dtype}, work.dtype));
    simplify(nest);
    return nest;
}

Faster chosen(Measured const& work) {
    DType const compute = compute_dtype(std::array{work.dtype, work.dtype}, work.dtype);
    Nest const nest = nest_of(work);
    GemmProblem const problem{nest, 0, 1, compute, false, true, {work.dtype, work.dtype, work.dtype}};
    GemmCosts const costs =
        cuda::product_costs(work.dtype, cuda::seconds_from_text(nest, 0, 1, compute), cuda::Products::by_cost);
    return plan_gemm(problem, costs) ? Faster::cublas : Faster::text;
}

}  // namespace

TEST_CASE("products go where they were measured to be faster", "[executor][device][cuda]") {
    using enum Faster;
    for (Measured const& work : {
             Measured{"ij,jk->ik", {512, 512, 512}, f64, cublas},
             {"ij,jk->ik", {4096, 4096, 4096}, f32, cublas},
             {"ij,jk->ik", {4096, 4096, 4096}, bf16, cublas},
             {"ij,jk->ik", {1048576, 64, 64}, f32, cublas},
             {"k,kj->j", {4096, 11008}, bf16, cublas},
             {"ik,kj->ij", {16, 4096, 11008}, f32, cublas},
             {"ik,jk->ij", {16, 4096, 11008}, bf16, cublas},
             {"bhd,bshd->bhs", {16, 32, 128, 2048}, f32, text},
             {"bhd,bshd->bhs", {16, 32, 128, 2048}, f64, text},
             {"bhd,bshd->bhs", {16, 32, 128, 2048}, bf16, text},
             {"hqd,hkd->hqk", {8, 4096, 64, 4096}, f32, cublas},
             {"bij,bjk->bik", {2000, 64, 64, 64}, f32, cublas},
             {"dbea,ec->abcd", {96, 84, 96, 96, 24}, f32, cublas},
             {"efbad,cf->abcde", {48, 36, 36, 48, 36, 24}, f32, cublas},
             {"dega,gfbc->abcdef", {24, 20, 24, 24, 20, 20, 20}, f32, text},
             {"degb,gfac->abcdef", {24, 20, 24, 20, 20, 24, 20}, f32, text},
             {"abcdefghijklmno,ofcp->abdeghijklmnpcf", Shape(16, 3), f32, cublas},
             {"abcdefghijklmnopqrst,xyhm->abcdefgxijklynopqrst", Shape(22, 2), f64, text},
             {"acd,dbc->ab", {384, 376, 384, 376}, f32, cublas},
             {"bda,dc->abc", {296, 312, 312, 24}, f32, cublas},
             {"aebf,fdec->abcd", {72, 72, 72, 72, 72, 72}, f64, cublas},
             {"ijb,jkb->ikb", {128, 128, 64, 128}, f32, cublas},
             {"bij,bjk->bik", {30000, 16, 16, 16}, f32, cublas},
             {"bij,bkj->bik", {200000, 4, 4, 4}, f32, text},
             {"bij,bkj->bik", {200000, 4, 4, 4}, f64, text},
             {"bij,bjk->bki", {20000, 8, 8, 8}, f32, text},
             {"ijb,jkb->ikb", {8, 8, 20000, 8}, f64, text},
             {"alb,bsr->alsr", {128, 64, 128, 4, 128}, f64, cublas},
             {"abcd,ce->aebd", {80, 80, 80, 80, 16}, f32, cublas},
             {"kabc,kd->dcba", {16, 64, 64, 64, 128}, f64, cublas},
         }) {
        CAPTURE(work.form, work.extents, name(work.dtype), cuda::seconds_from_text(nest_of(work), 0, 1, work.dtype));
        CHECK(chosen(work) == work.faster);
    }
}
