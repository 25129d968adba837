// What one thread did, in sums: tasks and seconds by kind.
// One object a thread, so nothing is shared while tasks run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "lib/schedule/model/schedule.hpp"
#include "lib/tensor/source.hpp"

namespace ein::executor {

struct KindTimes {
    std::int64_t count = 0;
    double seconds = 0;
};

/// The share of kernels' time without a core that is more than a machine's own business: times of tasks, and who waits
/// for whom, then say little of the plan.
constexpr double much_without_core = 0.15;

/// Seconds in kernels that were looked at, and for how much of them the thread had no core.
struct CoreTimes {
    double looked_at = 0, without = 0;
    CoreTimes& operator+=(CoreTimes const& other) {
        looked_at += other.looked_at, without += other.without;
        return *this;
    }
    /// Clocks that are read one after the other may differ by a little.
    void add(double seconds, double with_core) {
        looked_at += seconds;
        without += std::max(0.0, seconds - with_core);
    }
};

/// Where inputs come from: numbers that are made, files that are read as they are, archives (npz), which may be
/// deflated and are compared with their checksums, and texts (mtx, tns), which are parsed.
enum class InputFrom : std::uint8_t { made, files, archives, texts };
constexpr std::array<std::string_view, 4> input_from_names{"made", "files", "archives", "texts"};

inline InputFrom comes_from(tensor::Source const& source) {
    using namespace tensor;
    if (std::holds_alternative<MtxSource>(source) || std::holds_alternative<TnsSource>(source)) return InputFrom::texts;
    if (std::holds_alternative<NpzSource>(source) || std::holds_alternative<ScipySource>(source))
        return InputFrom::archives;
    return file_of(source) != nullptr ? InputFrom::files : InputFrom::made;
}

struct alignas(64) TaskTimes {
    std::array<KindTimes, schedule::task_kinds> kinds{};
    CoreTimes cores;
    std::array<double, input_from_names.size()> loads{};  // seconds by InputFrom

    void add(schedule::TaskKind kind, double seconds) {
        KindTimes& times = kinds[index(kind)];
        ++times.count;
        times.seconds += seconds;
    }
};

}  // namespace ein::executor
