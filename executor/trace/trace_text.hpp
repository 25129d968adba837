// Events as the text of Chrome's trace format, which Perfetto and chrome://tracing read: one JSON object a line. Knows
// nothing of tasks. Times are nanoseconds since the trace's origin; the format wants microseconds. Example: slice({0,
// 2}, 1500, 4500, "\"load X\"", "load", "") is
//          {"ph":"X","pid":0,"tid":2,"ts":1.500,"dur":3.000,"name":"load X","cat":"load"}
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ein::executor {

using Ticks = std::int64_t;  // nanoseconds

/// In the label of a rank whose threads have fewer cores than they are.
constexpr std::string_view shares_cores = "shares cores";
/// In that of a rank whose kernels stood still for much of their time, others having its cores.
constexpr std::string_view lost_cores = "kernels often had no core";

/// Where a slice is drawn.
struct Track {
    int pid = 0, tid = 0;
};

/// As JSON.
std::string json_string(std::string_view text);

class TraceText {
public:
    using Sink = std::function<void(std::string_view)>;
    /// @param sink  gets the text, a few MiB at a time; all of it after flush()
    explicit TraceText(Sink sink) : sink_(std::move(sink)) {}

    void raw(std::string_view text) { out_ += text; }  // what stands around the events

    /// @param sort  where it is shown: lower ones above
    void process(int pid, std::string const& name, int sort, std::string const& label = "");
    /// What a round of the run was predicted to take, of which a process shows the first iterations of loops.
    void prediction(int pid, double seconds);
    void thread(Track track, std::string const& name, int sort);

    /// @param name, args  JSON; args may be ""
    void slice(Track track, Ticks begin, Ticks end, std::string_view name, std::string_view category,
               std::string_view args);
    enum class Flow : char { start = 's', step = 't', end = 'f' };
    /// A point of an arrow, in the slice of `track` at that time. Points of one arrow have one id.
    void flow(Flow what, Track track, Ticks time, std::uint64_t id);
    void counter(int pid, Ticks time, std::string_view name, std::string_view unit, std::int64_t value);

    void flush();

private:
    void begin_event(char phase, int pid);
    void time(std::string_view key, Ticks ticks);
    void metadata(std::string_view what, Track track, std::string_view key, std::string const& value);
    void end_event();

    Sink sink_;
    std::string out_;
    bool first_ = true;
};

}  // namespace ein::executor
