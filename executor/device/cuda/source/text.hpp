// Pieces of CUDA C++ text: the names that kernels/*.cuh give to element types, a text whose kernel is named after what
// is in it, and the words of a launch's constants. Example: element_name(DType::boolean) is "boolean",
// register_name(DType::i8) is "i32".
#pragma once

#include <string>

#include "executor/device/cuda/source/program.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"

namespace ein::executor::cuda {

std::string element_name(DType type);
std::string register_name(DType type);
std::size_t register_bytes(DType type);

/// "to_f32(x)"
std::string converted(std::string const& value, DType to);

/// A register of type `type`.
std::string literal(scalar::Scalar const& value, DType type);

/// The kernel of a source in which '@' stands for its name, which becomes the stem and a hash of the text.
Kernel named(std::string const& stem, std::string source);

/// Constants of a launch, in the order of the kernel's struct.
class Words {
public:
    Words& add(Extent value);
    /// struct Length of kernels/walk.cuh: what to divide by.
    Words& length(Extent value);
    std::vector<std::uint64_t> take() { return std::move(words_); }

private:
    std::vector<std::uint64_t> words_;
};

}  // namespace ein::executor::cuda
