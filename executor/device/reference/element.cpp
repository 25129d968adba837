#include "executor/device/reference/element.hpp"

#include "lib/tensor/cast.hpp"

namespace ein::executor {

scalar::Scalar load_element(void const* from, DType type) {
    return tensor::with_type(type, [&]<class T>(T) {
        T const value = tensor::load<T>(static_cast<std::byte const*>(from));
        constexpr bool exact = std::is_integral_v<T> || std::is_same_v<T, tensor::BoolByte>;
        if constexpr (exact)
            return scalar::Scalar::of(tensor::cast<std::int64_t>(value));
        else
            return scalar::Scalar::of(tensor::cast<std::complex<double>>(value));
    });
}

void store_element(scalar::Scalar const& value, void* to, DType type) {
    tensor::with_type(type, [&]<class T>(T) {
        constexpr bool exact = std::is_integral_v<T> || std::is_same_v<T, tensor::BoolByte>;
        T stored;
        if constexpr (exact)
            stored = tensor::cast<T>(value.integer);
        else
            stored = tensor::cast<T>(value.number);
        tensor::store(static_cast<std::byte*>(to), stored);
    });
}

}  // namespace ein::executor
