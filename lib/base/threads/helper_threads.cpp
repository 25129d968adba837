#include "lib/base/threads/helper_threads.hpp"

#include <algorithm>
#include <system_error>

namespace ein {

HelperThreads& HelperThreads::of_process() {
    static HelperThreads threads;
    return threads;
}

HelperThreads::~HelperThreads() {
    std::vector<std::thread> threads;
    {
        MutexLock const lock(mutex_);
        ends_ = true;
        threads.swap(threads_);
        asked_.notify_all();
    }
    for (std::thread& thread : threads) thread.join();
}

void HelperThreads::run(std::size_t others, std::function<void()> const& work) {
    if (others == 0) return work();
    std::list<Request>::iterator request;
    {
        MutexLock const lock(mutex_);
        try {
            while (threads_.size() < others) threads_.emplace_back([this] { help(); });
        } catch (std::system_error const&) {  // no more of them: those that are there help, or nobody
        }
        request = requests_.insert(requests_.end(), {&work, others});
    }
    for (std::size_t k = 0; k < others; ++k) asked_.notify_one();
    work();
    MutexLock const lock(mutex_);
    request->seats = 0;
    left_.wait(lock, [&]() { return request->inside == 0; });
    requests_.erase(request);
}

std::size_t HelperThreads::threads() const {
    MutexLock const lock(mutex_);
    return threads_.size();
}

std::list<HelperThreads::Request>::iterator HelperThreads::open_request() {
    return std::find_if(requests_.begin(), requests_.end(), [](Request const& request) { return request.seats > 0; });
}

void HelperThreads::help() {
    while (true) {
        std::list<Request>::iterator request;
        {
            MutexLock const lock(mutex_);
            asked_.wait(lock, [&]() EIN_REQUIRES(mutex_) { return ends_ || open_request() != requests_.end(); });
            if (ends_) return;
            request = open_request();
            --request->seats;
            ++request->inside;
        }
        (*request->work)();
        MutexLock const lock(mutex_);
        if (--request->inside == 0) left_.notify_all();
    }
}

}  // namespace ein
