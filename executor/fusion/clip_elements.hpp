// What clipped pieces do to elements beside their kernels: look whether they are numbers, and fill what is left out.
// Example: all_are(positive, f32, data, {128}, {4}) of the sums of 128 rows.
#pragma once

#include <span>

#include "executor/fusion/group_clip.hpp"
#include "lib/scalar/regions/prefix.hpp"

namespace ein::executor {

/// @param strides  in bytes
bool all_are(ClipFact::Kind kind, DType type, std::byte const* data, Shape const& lengths,
             std::vector<Extent> const& strides);
enum class FillStores : std::uint8_t { cached, past_cache };
void fill_elements(double value, DType type, std::byte* data, Shape const& lengths, std::vector<Extent> const& strides,
                   FillStores stores = FillStores::cached);
/// Writes `value` over the elements of each row, the last axis, that one of the ends leaves out.
/// @param axes  labels of the axes, which the ends name  @param box  their indices
/// @param strides  in elements; the last is 1
void mask_elements(std::span<scalar::Prefix const> ends, double value, DType type, std::byte* data,
                   std::vector<int> const& axes, std::vector<scalar::IndexRange> const& box,
                   std::vector<Extent> const& strides);

}  // namespace ein::executor
