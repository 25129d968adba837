// Thresholds of checkpoints.
#pragma once

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
/// Checkpoints that fail one after another before the run says so at its end.
inline constexpr int most_failures = 3;

}  // namespace ein::executor::tuning
