#include "lib/tensor/element_text.hpp"

#include <cstdio>

namespace ein::tensor {

std::string element_text(HostTensor const& tensor, Extent at) {
    scalar::Scalar const value = tensor.at(at);
    char text[80];
    if (value.is_integer)
        std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value.integer));
    else if (is_complex(tensor.dtype()))
        std::snprintf(text, sizeof text, "%.9g%+.9gj", value.number.real(), value.number.imag());
    else
        std::snprintf(text, sizeof text, "%.9g", value.number.real());
    return text;
}

}  // namespace ein::tensor
