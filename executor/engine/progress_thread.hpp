// A thread beside the workers. While all of them compute it keeps transfers moving, at short intervals; an idle worker does that better, and
// then it leaves them alone. About once a second it exchanges notes with the other ranks, prints progress and notices stalls.
// Asleep otherwise.
#pragma once

#include <thread>

#include "executor/engine/communicator.hpp"
#include "executor/engine/run_state.hpp"
#include "executor/report/progress.hpp"
#include "executor/health/stall_detector.hpp"

namespace ein::executor {

class ProgressThread {
public:
    struct Parts {
        Rank self;
        int ranks;
        double stall;                                             // seconds
        std::int64_t total_tasks;                                 // of all ranks and rounds
        Progress* progress;                                       // rank 0 only
        Communicator* communicator;                               // nullptr with one rank
        std::function<Done()> done;                               // by this rank; called under the run state's lock
        std::function<void(std::string const& silence)> explain;  // tells what this rank waits for, and who is silent
    };
    ProgressThread(RunState& run_state, Parts parts);
    ~ProgressThread();  // the run state must be closed

private:
    void serve();
    void serve_until_closed();
    double quiet_for() const;
    void tick();
    StallDetector::Advice exchange(Done mine, double now);

    RunState& run_state_;
    Parts parts_;
    double began_;
    StallDetector stall_detector_;
    std::thread thread_;
};

}  // namespace ein::executor
