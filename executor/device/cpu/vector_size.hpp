// How long vectors are in the instruction set that a file is compiled for: loops compiled once for each set include
// this after they named it (EIN_INSTRUCTION_SET). Example: 64 bytes, 16 values of f32, for avx512.
#pragma once

#ifndef EIN_INSTRUCTION_SET
#define EIN_INSTRUCTION_SET baseline  // for tools that read a file by itself
#endif

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
