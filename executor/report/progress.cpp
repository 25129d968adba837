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

std::string progress_text(Done done, AllTasks all, std::optional<Pace> const& pace) {
    std::int64_t const finished = all.before + done.tasks;
    std::string const text = std::to_string(percent_of(done, all)) + " % (" + std::to_string(finished) + "/" +
                             std::to_string(all.total) + " tasks)";
    if (!pace) return text;
    char rate[48];
    std::snprintf(rate, sizeof rate, "%.3g GFLOP/s", pace->flops * 1e-9);
    auto const left = static_cast<double>(std::max<std::int64_t>(0, all.total - finished));
    return text + ", " + rate + ", about " + clock_text(left / pace->tasks) + " left";
}

void Progress::take_round(Round const& round) {
    if (!first_) {
        if (round.done.tasks > 0) first_ = round;
        return;
    }
    auto const tasks = static_cast<double>(round.done.tasks - first_->done.tasks);
    double const seconds = round.seconds - first_->seconds;
    if (tasks > 0 && seconds > 0) pace_ = Pace{tasks / seconds, (round.done.flops - first_->done.flops) / seconds};
}

void Progress::update(Done done, AllTasks all, double seconds, std::int64_t rounds) {
    if (mode_ == ProgressMode::off) return;
    if (rounds > rounds_) take_round({done, seconds});
    rounds_ = rounds;
    int const percent = percent_of(done, all);
    if (mode_ == ProgressMode::bar) {
        auto const filled = static_cast<std::size_t>(std::clamp(percent, 0, 100) * 30 / 100);
        out_ << "\r[" << std::string(filled, '#') << std::string(30 - filled, ' ') << "] "
             << progress_text(done, all, pace_) << "\x1b[K" << std::flush;
        bar_open_ = true;
        return;
    }
    if ((percent / 5 <= told_percent_ / 5 || !pace_) && seconds - told_at_ < 30) return;
    told_percent_ = percent;
    told_at_ = seconds;
    // In one piece: other ranks write too.
    out_ << "einrun: " + progress_text(done, all, pace_) + "\n" << std::flush;
}

void Progress::finish() {
    if (bar_open_) out_ << '\n' << std::flush;
    bar_open_ = false;
}

}  // namespace ein::executor
