// A thread beside the workers. While all of them compute it keeps transfers moving, at short intervals; an idle worker
// does that better, and then it leaves them alone. About once a second it exchanges notes with the other ranks, prints
// progress and notices stalls. Asleep otherwise.
#pragma once

#include <chrono>
#include <thread>

#include "executor/engine/communicator.hpp"
#include "executor/engine/run_state.hpp"
#include "executor/engine/run_stops.hpp"
#include "executor/finite/finite_watch.hpp"
#include "executor/health/stall_detector.hpp"
#include "executor/report/progress.hpp"

namespace ein::executor {

class ProgressThread {
public:
    struct Parts {
        Rank self;
        int ranks;
        double stall;  // seconds
        AllTasks all_tasks;
        Progress* progress;                                       // rank 0 only
        Communicator* communicator;                               // nullptr with one rank
        std::function<Done()> done;                               // by this rank
        std::function<void(std::string const& silence)> explain;  // reports what this rank waits for, and who is silent
        FiniteWatch* finite_watch = nullptr;                      // if NaN and infinities are looked for
        std::function<SeenNonFinite()> news = {};                 // for it: what this rank has seen anew
        RunStops* stops = nullptr;                                // if the run may be stopped
    };
    ProgressThread(RunState& run_state, Parts parts);
    ~ProgressThread();  // the run state must be closed

private:
    void serve();
    void serve_until_closed();
    RunState::Pause pause(bool transfers);
    double quiet_for() const;
    void tick();
    StallDetector::Advice exchange(Done mine, double now);
    StallDetector::Advice look_for_stall(double now, Done mine, std::vector<StallDetector::Note>& out);
    void hear(Transport& transport, double now);
    std::chrono::steady_clock::duration tick_interval() const;
    bool is_other_note(StallDetector::Note const& note);
    void watch(double now, std::vector<StallDetector::Note>& out);

    RunState& run_state_;
    Parts parts_;
    double began_;
    std::chrono::steady_clock::time_point next_tick_;
    int quiet_;  // pauses since transfers were last under way
    StallDetector stall_detector_;
    double next_stall_look_ = 0;
    std::string fault_;  // that the run is to end with
    std::thread thread_;
};

}  // namespace ein::executor
