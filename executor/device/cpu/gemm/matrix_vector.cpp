#include "executor/device/cpu/gemm/matrix_vector.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"

namespace ein::executor {
namespace {

VectorLoops best_loops(DType matrix, DType sums, int vectors) {
    return EIN_OF_BEST_SET(vector_loops(matrix, sums, vectors));
}

DType real_of(DType type) { return type == DType::c64 ? DType::f32 : type == DType::c128 ? DType::f64 : type; }

/// @return nothing unless each label is in the matrix, and some are the output's alone, and some summed
std::optional<VectorLabels> labels_of(Nest const& nest, std::size_t matrix, std::size_t vector) {
    VectorLabels out;
    for (NestLabel const& label : nest.labels) {
        Extent const a = label.strides[matrix], x = label.strides[vector];
        if (a == 0 || (label.aggregated && x == 0)) return std::nullopt;
        (label.aggregated ? out.terms
         : x != 0         ? out.batch
                          : out.rows)
            .push_back({label.length, x, a, label.output_stride});
    }
    if (out.rows.empty() || out.terms.empty()) return std::nullopt;
    std::ranges::stable_sort(out.terms, std::greater(), &PositionLabel::data);
    std::ranges::stable_sort(out.rows, std::greater(), &PositionLabel::data);
    return out;
}

template <class Element>
void copy_elements(std::byte const* from, Extent from_step, std::byte* to, Extent to_step, Extent count) {
    for (Extent k = 0; k < count; ++k) std::memcpy(to + k * to_step, from + k * from_step, sizeof(Element));
}
/// Elements of some bytes, evenly apart here and there.
void copy_elements(Extent size, std::byte const* from, Extent from_step, std::byte* to, Extent to_step, Extent count) {
    if (from_step == size && to_step == size) {
        std::memcpy(to, from, static_cast<std::size_t>(count * size));
        return;
    }
    switch (size) {
        case 1: return copy_elements<std::byte>(from, from_step, to, to_step, count);
        case 2: return copy_elements<std::byte[2]>(from, from_step, to, to_step, count);
        case 4: return copy_elements<std::byte[4]>(from, from_step, to, to_step, count);
        case 8: return copy_elements<std::byte[8]>(from, from_step, to, to_step, count);
        default: return copy_elements<std::byte[16]>(from, from_step, to, to_step, count);
    }
}

constexpr Extent stored_at_once = 64;

/// At most stored_at_once results.
template <class T>
void store_numbers(MatrixVector const& product, T* values, std::byte* to, Extent step, Extent count) {
    T const factor = static_cast<T>(product.factor);
    for (Extent k = 0; k < count * product.parts; ++k) values[k] *= factor;
    if (product.conjugates_results)
        for (Extent k = 0; k < count; ++k) values[2 * k + 1] = -values[2 * k + 1];
    auto const size = static_cast<Extent>(size_of(product.output_type));
    auto const n = static_cast<std::size_t>(count);
    alignas(16) std::byte elements[stored_at_once * 16];
    if (product.accumulate) {
        T held[2 * stored_at_once];
        copy_elements(size, to, step, elements, size, count);
        tile_convert(product.output_type, elements, 1, product.type, held, n);
        for (Extent k = 0; k < count * product.parts; ++k) values[k] += held[k];
    }
    if (product.output_type == product.type)
        return copy_elements(size, reinterpret_cast<std::byte const*>(values), size, to, step, count);
    tile_convert(product.type, values, 1, product.output_type, elements, n);
    copy_elements(size, elements, size, to, step, count);
}

template <class T>
void store_all(MatrixVector const& product, std::byte* values, std::byte* to, Extent step, Extent count) {
    for (Extent k = 0; k < count; k += stored_at_once)
        store_numbers(product, reinterpret_cast<T*>(values) + k * product.parts, to + k * step, step,
                      std::min(stored_at_once, count - k));
}

}  // namespace

Extent MatrixVector::matrix_bytes() const {
    return count_of(labels.batch) * count_of(labels.rows) * count_of(labels.terms) * parts * number_bytes();
}

std::optional<MatrixVector> matrix_by_vector(KernelShape const& shape, Nest const& nest, KernelTypes const& types,
                                             scalar::Params const& params) {
    DType const type = types.compute, real = real_of(type);
    graph::EinSum const& einsum = shape.kernel->einsum;
    if (nest.keeps_order() || einsum.agg != scalar::Agg::sum || types.join != type || types.accumulate != type ||
        (real != DType::f32 && real != DType::f64) || nest.operand_dtypes.size() != 2)
        return std::nullopt;
    std::optional<ScaledProduct> const product = scaled_product(einsum.join, types, params, Conjugates::taken);
    if (!product) return std::nullopt;
    int const parts = is_complex(type) ? 2 : 1;
    for (auto const& [matrix, vector] :
         {std::pair{product->left, product->right}, std::pair{product->right, product->left}}) {
        DType const stored = nest.operand_dtypes[matrix];
        VectorLoops const loops = best_loops(real_of(stored), real, parts);
        if (is_complex(type) != is_complex(stored) || loops.dot == nullptr) continue;
        if (std::optional<VectorLabels> labels = labels_of(nest, matrix, vector))
            return MatrixVector{std::move(*labels),
                                matrix,
                                vector,
                                product->factor,
                                type,
                                real,
                                parts,
                                product->conjugates_left != product->conjugates_right,
                                product->conjugates(matrix),
                                real_of(stored),
                                nest.operand_dtypes[vector],
                                nest.output_dtype,
                                nest.accumulate,
                                loops};
    }
    return std::nullopt;
}

void store_results(MatrixVector const& product, std::byte* values, std::byte* to, Extent step, Extent count) {
    product.real == DType::f32 ? store_all<float>(product, values, to, step, count)
                               : store_all<double>(product, values, to, step, count);
}

}  // namespace ein::executor
