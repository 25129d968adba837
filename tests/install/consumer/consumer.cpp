#include <iostream>

#include "lib/base/dtype.hpp"

int main() {
    ein::DType const common = ein::promote(ein::DType::i32, ein::DType::f32);
    std::cout << "i32 with f32 is " << ein::name(common) << "\n";
}
