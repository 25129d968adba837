#include "executor/trace/trace_text.hpp"

#include <cinttypes>
#include <cstdio>

#include "executor/trace/tuning.hpp"
#include "lib/base/json.hpp"

namespace ein::executor {

std::string json_string(std::string_view text) { return Json(printable(text)).dump(); }

void TraceText::process(int pid, std::string const& name, int sort, std::string const& label) {
    metadata("process_name", {pid, 0}, "name", json_string(name));
    metadata("process_sort_index", {pid, 0}, "sort_index", std::to_string(sort));
    if (!label.empty()) metadata("process_labels", {pid, 0}, "labels", json_string(label));
}

void TraceText::prediction(int pid, double seconds) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", seconds);
    metadata("predicted_seconds", {pid, 0}, "seconds", text);
}

void TraceText::thread(Track track, std::string const& name, int sort) {
    metadata("thread_name", track, "name", json_string(name));
    metadata("thread_sort_index", track, "sort_index", std::to_string(sort));
}

void TraceText::slice(Track track, Ticks begin, Ticks end, std::string_view name, std::string_view category,
                      std::string_view args) {
    begin_event('X', track.pid);
    (out_ += ",\"tid\":") += std::to_string(track.tid);
    time("ts", begin);
    time("dur", end - begin);
    (out_ += ",\"name\":") += name;
    ((out_ += ",\"cat\":\"") += category) += '"';
    if (!args.empty()) (out_ += ",\"args\":") += args;
    end_event();
}

void TraceText::flow(Flow what, Track track, Ticks ticks, std::uint64_t id) {
    begin_event(static_cast<char>(what), track.pid);
    char hex[24];
    std::snprintf(hex, sizeof hex, "0x%" PRIx64, id);
    (out_ += ",\"tid\":") += std::to_string(track.tid);
    time("ts", ticks);
    ((out_ += ",\"id\":\"") += hex) += "\",\"name\":\"block\",\"cat\":\"transfer\"";
    if (what == Flow::end) out_ += ",\"bp\":\"e\"";  // ends in the slice around it, not in the next
    end_event();
}

void TraceText::counter(int pid, Ticks ticks, std::string_view name, std::string_view unit, std::int64_t value) {
    begin_event('C', pid);
    time("ts", ticks);
    ((out_ += ",\"name\":\"") += name) += "\",\"args\":{\"";
    ((out_ += unit) += "\":") += std::to_string(value);
    out_ += '}';
    end_event();
}

void TraceText::flush() {
    sink_(out_);
    out_.clear();
}

void TraceText::begin_event(char phase, int pid) {
    out_ += first_ ? "{\"ph\":\"" : ",\n{\"ph\":\"";
    first_ = false;
    ((out_ += phase) += "\",\"pid\":") += std::to_string(pid);
}

void TraceText::time(std::string_view key, Ticks ticks) {
    char text[32];
    std::snprintf(text, sizeof text, "%s%" PRId64 ".%03d", ticks < 0 ? "-" : "", std::abs(ticks / 1000),
                  static_cast<int>(std::abs(ticks % 1000)));
    (((out_ += ",\"") += key) += "\":") += text;
}

void TraceText::metadata(std::string_view what, Track track, std::string_view key, std::string const& value) {
    begin_event('M', track.pid);
    (out_ += ",\"tid\":") += std::to_string(track.tid);
    ((out_ += ",\"name\":\"") += what) += "\",\"args\":{\"";
    (((out_ += key) += "\":") += value) += '}';
    end_event();
}

void TraceText::end_event() {
    out_ += '}';
    if (out_.size() > tuning::flushed_bytes) flush();
}

}  // namespace ein::executor
