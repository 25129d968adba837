// One element of a block as a Scalar: what slow paths and the reference read and write.
#pragma once

#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/tensor/convert.hpp"

namespace ein::executor {

inline scalar::Scalar load_element(void const* from, DType type) {
    if (is_exact(type)) {
        std::int64_t value = 0;
        tensor::convert(type, from, 1, DType::i64, &value, 1);
        return scalar::Scalar::of(value);
    }
    std::complex<double> value;
    tensor::convert(type, from, 1, DType::c128, &value, 1);
    return scalar::Scalar::of(value);
}

/// @param value  of dtype `type` already (see scalar::convert)
inline void store_element(scalar::Scalar const& value, void* to, DType type) {
    if (is_exact(type))
        tensor::convert(DType::i64, &value.integer, 1, type, to, 1);
    else
        tensor::convert(DType::c128, &value.number, 1, type, to, 1);
}

}  // namespace ein::executor
