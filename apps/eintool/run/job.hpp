// A job from its plan to its end: plans, launches, waits, tries again. What it decides by is retry_policy.hpp; here are
// the processes and what is said of them, a line each, on stderr.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "apps/eintool/run/commands.hpp"
#include "apps/eintool/run/launcher_log.hpp"
#include "apps/eintool/run/processes.hpp"
#include "apps/eintool/run/retry_policy.hpp"
#include "apps/eintool/run/run_folder.hpp"
#include "apps/eintool/run/run_request.hpp"
#include "lib/base/files/run_lock.hpp"

namespace ein::apps::tool {

class Job {
public:
    /// @throws InputError, UsageError, RunError for what cannot be begun
    explicit Job(RunRequest request);
    ~Job();
    Job(Job const&) = delete;
    Job& operator=(Job const&) = delete;

    /// @return the exit code of the program
    int run();

private:
    bool checkpoints() const { return !request_.checkpoint.empty(); }
    std::string newest() const { return checkpoints() ? folder_.newest_checkpoint() : ""; }

    void open_source();
    void choose_launcher();
    int prepare();
    int plan(int ranks, bool as_asked);
    std::filesystem::path place_of_schedule(bool as_asked);
    void remember_schedule(std::string const& request, int ranks) const;
    std::string request_hash() const;

    int launch();
    Program launch_of_ranks() const;
    void pass_signal(Child& child, int signal, WhileWaiting& waiting);
    void report(int code, std::string const& failure) const;

    int try_until_done();
    int fit_hosts();
    Hosts hosts_that_answer();
    void clean_up(int code) const;

    RunRequest request_;
    RunFolder folder_;
    Keeper keeper_;
    RetryPolicy policy_;
    Launcher launcher_;
    Hosts hosts_;             // as the launcher was told of them; none where it was not told
    std::string graph_text_;  // of the graph, where it is planned here
    bool is_schedule_ = false;
    std::filesystem::path planned_from_;  // the graph's file
    int ranks_ = 0;                       // of the schedule that runs
    std::filesystem::path schedule_;
    std::filesystem::path temporary_;  // the schedule, where nobody named a place for it
    RunLock lock_;
    int signals_ = 0;  // that asked the job to stop
    int aborts_ = 0;   // signals that ended it at once
};

}  // namespace ein::apps::tool
