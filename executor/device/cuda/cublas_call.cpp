#include "executor/device/cuda/cublas_call.hpp"

#include <complex>
#include <map>
#include <utility>

#include "executor/device/reference/element.hpp"
#include "lib/base/error.hpp"

namespace ein::executor::cuda {
namespace {

constexpr std::size_t A = 0, B = 1, C = 2;

cudaDataType_t cuda_type(DType type) {
    static std::map<DType, cudaDataType_t> const types{
        {DType::f16, CUDA_R_16F}, {DType::bf16, CUDA_R_16BF}, {DType::f32, CUDA_R_32F},
        {DType::f64, CUDA_R_64F}, {DType::c64, CUDA_C_32F},   {DType::c128, CUDA_C_64F},
    };
    auto const found = types.find(type);
    promise(found != types.end(), "cuBLAS has this type");
    return found->second;
}

/// A factor in the type of the arithmetic, by address.
class Factor {
public:
    Factor(double value, DType type) { store_element(scalar::Scalar::of(std::complex<double>(value)), bytes_, type); }
    void const* address() const { return bytes_; }

private:
    alignas(16) std::byte bytes_[16];
};

cublasOperation_t operation(bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

}  // namespace

cublasComputeType_t compute_type(ProductTypes const& types) {
    if (types.compute == DType::f64 || types.compute == DType::c128) return CUBLAS_COMPUTE_64F;
    bool const all_f32 = types.stored == std::array{DType::f32, DType::f32, DType::f32};
    return types.tf32 && all_f32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

bool in_cublas(ProductTypes const& types) {
    auto const [a, b, c] = types.stored;
    if (types.compute == DType::f64 || is_complex(types.compute)) return a == types.compute && b == a && c == a;
    bool const half = a == DType::f16 || a == DType::bf16;
    return types.compute == DType::f32 && a == b && (half ? c == a || c == DType::f32 : a == DType::f32 && c == a);
}

void multiply(BlasHandle const& handle, BatchedProduct const& product, void const* a, void const* b, void* c) {
    struct Side {
        void const* data;
        std::size_t side;
        Extent length;
    };
    Side left{a, A, product.m}, right{b, B, product.n};
    // A row-major matrix is its transpose to cuBLAS.
    bool const by_rows = !product.forms[C].transposed;
    if (by_rows) std::swap(left, right);
    auto const flag = [&](Side const& of) { return operation(product.forms[of.side].transposed == by_rows); };
    Factor const alpha(product.alpha, product.types.compute), beta(product.beta, product.types.compute);
    auto const type = [&](std::size_t side) { return cuda_type(product.types.stored[side]); };
    handle.functions().cublasGemmStridedBatchedEx_64(
        handle.get(), flag(left), flag(right), left.length, right.length, product.k, alpha.address(), left.data,
        type(left.side), product.forms[left.side].leading, product.batch_steps[left.side], right.data, type(right.side),
        product.forms[right.side].leading, product.batch_steps[right.side], beta.address(), c, type(C),
        product.forms[C].leading, product.batch_steps[C], product.batch, compute_type(product.types),
        CUBLAS_GEMM_DEFAULT);
}

}  // namespace ein::executor::cuda
