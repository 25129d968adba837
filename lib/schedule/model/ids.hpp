// The ids of a schedule: what a number in a task refers to. Rank, BlockId and TaskId are in lib/base/ids.hpp.
#pragma once

#include "lib/base/ids.hpp"

namespace ein::schedule {

using TensorId = Id<struct ScheduleTensorTag, std::int32_t>;  // in Header::tensors
using InputId = Id<struct InputTag, std::int32_t>;            // in Header::inputs: data that is loaded
using OutputId = Id<struct OutputTag, std::int32_t>;          // in Header::outputs: data that is stored
using KernelId = Id<struct KernelTag, std::int32_t>;          // in Header::kernels
using MovementId = Id<struct MovementTag, std::int32_t>;      // in Header::movements
using ReshapeId = Id<struct ReshapeTag, std::int32_t>;        // in Header::reshapes
using FillId = Id<struct FillTag, std::int32_t>;              // in Header::fills
using FusionId = Id<struct FusionTag, std::int32_t>;          // in Header::fusions
using LoopSpecId = Id<struct LoopSpecTag, std::int32_t>;      // in Header::loops
using MomentId = Id<struct MomentTag, std::int32_t>;          // in Header::moments and Section::moments
using LoopId = Id<struct LoopTag, std::int32_t>;              // in Section::loops
using MessageTag = Id<struct MessageTagTag, std::int32_t>;    // messages from one rank to another: 0, 1, ...
using CoordsPlace = std::int32_t;                             // in Section::coords

}  // namespace ein::schedule
