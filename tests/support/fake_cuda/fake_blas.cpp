// The functions of libcublas that we load: products by plain loops, in double precision, of matrices that must lie in
// the device's memory.
#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "lib/base/float16.hpp"
#include "tests/support/fake_cuda/fake_gpu.hpp"

using fake_cuda::gpu;

namespace {

using Number = std::complex<double>;

struct Handle {
    CUstream stream = nullptr;
    bool atomics = true, workspace = false, exact = false;
};
Handle& handle_of(cublasHandle_t handle) { return *reinterpret_cast<Handle*>(handle); }

std::int64_t size_of(cudaDataType_t type) {
    switch (type) {
        case CUDA_R_16F:
        case CUDA_R_16BF: return 2;
        case CUDA_R_32F: return 4;
        case CUDA_C_64F: return 16;
        default: return 8;
    }
}

template <class T>
T at(void const* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

Number load(cudaDataType_t type, void const* from) {
    switch (type) {
        case CUDA_R_16F: return static_cast<float>(at<ein::Half>(from));
        case CUDA_R_16BF: return static_cast<float>(at<ein::BFloat16>(from));
        case CUDA_R_32F: return at<float>(from);
        case CUDA_R_64F: return at<double>(from);
        case CUDA_C_32F: return at<std::complex<float>>(from);
        default: return at<Number>(from);
    }
}

template <class T>
void put(T value, void* to) {
    std::memcpy(to, &value, sizeof(T));
}

void store(cudaDataType_t type, Number value, void* to) {
    switch (type) {
        case CUDA_R_16F: return put(ein::Half(static_cast<float>(value.real())), to);
        case CUDA_R_16BF: return put(ein::BFloat16(static_cast<float>(value.real())), to);
        case CUDA_R_32F: return put(static_cast<float>(value.real()), to);
        case CUDA_R_64F: return put(value.real(), to);
        case CUDA_C_32F: return put(std::complex<float>(value), to);
        default: return put(value, to);
    }
}

/// Columns of `leading` elements, as cuBLAS has them.
struct Matrix {
    char* data;
    cudaDataType_t type;
    std::int64_t leading, step;
    bool transposed = false;

    char* place(std::int64_t batch, std::int64_t row, std::int64_t column) const {
        if (transposed) std::swap(row, column);
        return data + (batch * step + row + column * leading) * size_of(type);
    }
    bool on_device(std::int64_t batches, std::int64_t rows, std::int64_t columns) const {
        if (leading < (transposed ? columns : rows)) return false;
        char const* const last = place(batches - 1, rows - 1, columns - 1);
        return gpu().has(data, last - data + size_of(type), true);
    }
};

/// What TF32 keeps of it: 10 bits behind the first, to nearest.
double coarse(double value) {
    int exponent = 0;
    double const digits = std::frexp(value, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(digits, 11)), exponent - 11);
}

struct Product {
    Matrix a, b, c;
    std::int64_t m, n, k, batches;
    Number alpha, beta;
    bool tf32;

    Number factor(Matrix const& from, char const* place) const {
        Number const value = load(from.type, place);
        return tf32 ? Number(coarse(value.real()), coarse(value.imag())) : value;
    }

    void run() const {
        for (std::int64_t batch = 0; batch < batches; ++batch)
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < n; ++j) {
                    Number sum = 0;
                    for (std::int64_t l = 0; l < k; ++l)
                        sum += factor(a, a.place(batch, i, l)) * factor(b, b.place(batch, l, j));
                    char* const to = c.place(batch, i, j);
                    store(c.type, alpha * sum + (beta == 0.0 ? Number(0) : beta * load(c.type, to)), to);
                }
    }
};

/// What cublasGemmStridedBatchedEx supports, by the table in cuBLAS's documentation (section cublasGemmEx): types of
/// the arithmetic, of A and B, of C. Types that we do not have (8-bit floats, integers) are left out.
bool supported(cudaDataType_t a, cudaDataType_t b, cudaDataType_t c, cublasComputeType_t compute) {
    struct Row {
        cublasComputeType_t compute;
        cudaDataType_t operands, output;
    };
    constexpr Row rows[] = {
        {CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F},           {CUBLAS_COMPUTE_32F, CUDA_R_16BF, CUDA_R_16BF},
        {CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_16F},           {CUBLAS_COMPUTE_32F, CUDA_R_16BF, CUDA_R_32F},
        {CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_32F},           {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F},
        {CUBLAS_COMPUTE_32F, CUDA_C_32F, CUDA_C_32F},           {CUBLAS_COMPUTE_32F_FAST_16F, CUDA_R_32F, CUDA_R_32F},
        {CUBLAS_COMPUTE_32F_FAST_16F, CUDA_C_32F, CUDA_C_32F},  {CUBLAS_COMPUTE_32F_FAST_16BF, CUDA_R_32F, CUDA_R_32F},
        {CUBLAS_COMPUTE_32F_FAST_16BF, CUDA_C_32F, CUDA_C_32F}, {CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, CUDA_R_32F},
        {CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_C_32F, CUDA_C_32F}, {CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F},
        {CUBLAS_COMPUTE_64F, CUDA_C_64F, CUDA_C_64F},
    };
    return a == b && std::any_of(std::begin(rows), std::end(rows), [&](Row const& row) {
               return row.compute == compute && row.operands == a && row.output == c;
           });
}

bool is_complex(cudaDataType_t type) { return type == CUDA_C_32F || type == CUDA_C_64F; }

Number factor(cublasComputeType_t compute, cudaDataType_t type, void const* from) {
    bool const wide = compute == CUBLAS_COMPUTE_64F;
    return load(is_complex(type) ? (wide ? CUDA_C_64F : CUDA_C_32F) : (wide ? CUDA_R_64F : CUDA_R_32F), from);
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
    if (gpu().enter("cublasCreate") != CUDA_SUCCESS) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (FAKE_CUDA_MAJOR > 12 && gpu().settings().architecture < 75) return CUBLAS_STATUS_ARCH_MISMATCH;
    *handle = reinterpret_cast<cublasHandle_t>(new Handle);
    gpu().count_object(1);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
    delete &handle_of(handle);
    gpu().count_object(-1);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
    if (gpu().enter("cublasSetStream") != CUDA_SUCCESS) return CUBLAS_STATUS_NOT_INITIALIZED;
    handle_of(handle).stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, std::size_t bytes) {
    if (gpu().enter("cublasSetWorkspace") != CUDA_SUCCESS) return CUBLAS_STATUS_NOT_INITIALIZED;
    handle_of(handle).workspace = gpu().has(workspace, static_cast<std::int64_t>(bytes), true);
    return handle_of(handle).workspace ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
    handle_of(handle).atomics = mode == CUBLAS_ATOMICS_ALLOWED;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
    handle_of(handle).exact = (mode & CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) != 0;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,
                                             std::int64_t m, std::int64_t n, std::int64_t k, void const* alpha,
                                             void const* a, cudaDataType type_a, std::int64_t leading_a,
                                             long long step_a, void const* b, cudaDataType type_b,
                                             std::int64_t leading_b, long long step_b, void const* beta, void* c,
                                             cudaDataType type_c, std::int64_t leading_c, long long step_c,
                                             std::int64_t batches, cublasComputeType_t compute, cublasGemmAlgo_t) {
    if (gpu().enter("cublasGemmStridedBatchedEx") != CUDA_SUCCESS) return CUBLAS_STATUS_EXECUTION_FAILED;
    if (gpu().settings().delay == -2) return CUBLAS_STATUS_SUCCESS;
    Handle const& on = handle_of(handle);
    if (on.stream == nullptr || on.atomics || !on.workspace || !on.exact) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!supported(type_a, type_b, type_c, compute)) return CUBLAS_STATUS_NOT_SUPPORTED;
    auto const data = [](void const* from) { return static_cast<char*>(const_cast<void*>(from)); };
    Product const product{{data(a), type_a, leading_a, step_a, of_a != CUBLAS_OP_N},
                          {data(b), type_b, leading_b, step_b, of_b != CUBLAS_OP_N},
                          {data(c), type_c, leading_c, step_c},
                          m,
                          n,
                          k,
                          batches,
                          factor(compute, type_a, alpha),
                          factor(compute, type_a, beta),
                          compute == CUBLAS_COMPUTE_32F_FAST_TF32};
    if (!product.a.on_device(batches, m, k) || !product.b.on_device(batches, k, n) ||
        !product.c.on_device(batches, m, n))
        return CUBLAS_STATUS_INVALID_VALUE;
    fake_cuda::stream_of(on.stream)->ask([product] {
        if (gpu().begin("kernel")) product.run();
    });
    return CUBLAS_STATUS_SUCCESS;
}
}
