// Thresholds of checkpoints.
#pragma once

#include <cstdint>

namespace ein::executor::tuning {

/// Seconds between looks at notes while a run may be stopped: how late ranks hold when they are asked. A look costs
/// microseconds.
inline constexpr double between_looks_at_wishes = 0.05;
/// The same while ranks are on their way to a point.
inline constexpr double between_looks_at_answers = 0.002;
/// A checkpoint is begun so many times earlier than it took the last time: disks differ from one time to the next.
inline constexpr double writing_slack = 1.5;
/// Bytes a second that a first checkpoint is thought to be written with: what a laptop's disk does.
inline constexpr double first_writing_speed = 100e6;
/// Bytes of a value that are written and hashed in turn: they stay in a processor's second cache in between.
inline constexpr std::int64_t written_at_once = std::int64_t{1} << 20;
/// The same of sparse values, in elements: some 20 bytes each, and as many again while they are converted.
inline constexpr std::int64_t elements_at_once = std::int64_t{1} << 16;
/// Bytes after which the disk is told to begin with what was written: large enough for its full speed, small against
/// what is saved.
inline constexpr std::int64_t begun_syncs = std::int64_t{32} << 20;
/// Seconds to the next attempt after a checkpoint that failed, twice as many each time: a full disk is looked after by
/// people, in minutes.
inline constexpr double shortest_wait_after_failure = 1;
inline constexpr double longest_wait_after_failure = 300;
/// Checkpoints that fail one after another before the run says so at its end.
inline constexpr int most_failures = 3;

}  // namespace ein::executor::tuning
