// The loop of TileAggregate::scan for one instruction set, compiled as tile_loops.cpp is.
#include "executor/device/cpu/loops/tile_aggregate.hpp"

#ifndef EIN_INSTRUCTION_SET
#define EIN_INSTRUCTION_SET baseline  // for tools that read this file by itself
#endif

#include "executor/device/cpu/loops/exact_sums.hpp"  // of the set

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

template <class T>
T settled(T sum, T low) {
    T const all = sum + low;
    return low != T{0} && all == all ? all : sum;
}

template <class T>
void scan_row(T* __restrict a, T* __restrict low, T const* __restrict v, T* __restrict shown, std::size_t columns) {
    for (std::size_t c = 0; c < columns; ++c) {
        T sum = a[c], rest = low[c];
        add_one(sum, rest, v[c]);
        shown[c] = settled(sum, rest);
        a[c] = sum;
        low[c] = rest;
    }
}

template <class T>
void scan(void* acc, void* lost, void const* values, std::ptrdiff_t values_step, void* results,
          std::ptrdiff_t results_step, std::size_t rows, std::size_t columns) {
    auto const* from = static_cast<char const*>(values);
    auto* to = static_cast<char*>(results);
    for (std::size_t r = 0; r < rows; ++r, from += values_step, to += results_step)
        scan_row(static_cast<T*>(acc), static_cast<T*>(lost), reinterpret_cast<T const*>(from),
                 reinterpret_cast<T*>(to), columns);
}

}  // namespace

ScanLoop scan_loop(DType register_type) {
    if (register_type == DType::f32) return scan<float>;
    return register_type == DType::f64 ? scan<double> : nullptr;
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
