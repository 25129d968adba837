// Threads that are kept for for_each_in_parallel (parallel.hpp): a search among plans makes hundreds of short loops,
// and a thread that is made for each costs more than most of them, its heap's beginning and end above all. Who asks for
// help never waits for it to come: whoever comes while there is work joins, and only those that joined are waited for.
// So nothing hangs where there are no threads, as in a process that was forked off. Example:
// HelperThreads::of_process().run(3, work) calls work() here, and on up to 3 other threads.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <thread>
#include <vector>

#include "lib/base/threads/mutex.hpp"

namespace ein {

class HelperThreads {
public:
    /// Made when they are first asked for, joined when the process ends.
    static HelperThreads& of_process();

    HelperThreads() = default;
    HelperThreads(HelperThreads const&) = delete;
    HelperThreads& operator=(HelperThreads const&) = delete;
    ~HelperThreads();

    /// Calls `work` here and on at most `others` threads beside; returns when every call has. @param work  throws
    /// nothing; where it is called late there is nothing left for it to do
    void run(std::size_t others, std::function<void()> const& work);
    std::size_t threads() const;

private:
    struct Request {
        std::function<void()> const* work;
        std::size_t seats;       // for whoever comes
        std::size_t inside = 0;  // who came
    };
    void help();
    std::list<Request>::iterator open_request() EIN_REQUIRES(mutex_);

    mutable Mutex mutex_;
    Condition asked_, left_;
    std::list<Request> requests_ EIN_GUARDED_BY(mutex_);
    std::vector<std::thread> threads_ EIN_GUARDED_BY(mutex_);
    bool ends_ EIN_GUARDED_BY(mutex_) = false;
};

}  // namespace ein
