#include "executor/report/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace ein::executor {

namespace {

int percent_of(Done done, AllTasks all) {
    if (all.total <= 0) return 100;
    return static_cast<int>(100.0 * static_cast<double>(all.before + done.tasks) / static_cast<double>(all.total));
}

std::string clock_text(double seconds) {
    auto const whole = static_cast<long>(seconds + 0.5);
    char text[48];
    if (whole < 3600)
        std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    return text;
}

}  // namespace

std::string progress_text(Done done, AllTasks all, double seconds) {
    char rate[48];
    std::snprintf(rate, sizeof rate, "%.3g GFLOP/s", seconds > 0 ? done.flops / seconds * 1e-9 : 0.0);
    std::string text = std::to_string(percent_of(done, all)) + " % (" + std::to_string(all.before + done.tasks) + "/" +
                       std::to_string(all.total) + " tasks), " + rate;
    auto const left = static_cast<double>(all.total - all.before - done.tasks);
    if (done.tasks > 0) text += ", about " + clock_text(seconds * left / static_cast<double>(done.tasks)) + " left";
    return text;
}

void Progress::update(Done done, AllTasks all, double seconds) {
    if (mode_ == ProgressMode::off) return;
    int const percent = percent_of(done, all);
    if (mode_ == ProgressMode::bar) {
        auto const filled = static_cast<std::size_t>(std::clamp(percent, 0, 100) * 30 / 100);
        out_ << "\r[" << std::string(filled, '#') << std::string(30 - filled, ' ') << "] "
             << progress_text(done, all, seconds) << "\x1b[K" << std::flush;
        bar_open_ = true;
        return;
    }
    if (percent / 5 <= told_percent_ / 5 && seconds - told_at_ < 30) return;
    told_percent_ = percent;
    told_at_ = seconds;
    out_ << "einrun: " + progress_text(done, all, seconds) + "\n" << std::flush;  // one piece: other ranks write too
}

void Progress::finish() {
    if (bar_open_) out_ << '\n' << std::flush;
    bar_open_ = false;
}

}  // namespace ein::executor
