// A mutex, a lock of it for a scope, and a condition to wait for under it, as the standard library has them, with the
// words that clang's thread-safety analysis needs (libstdc++ has none). They cost what std::mutex does. Who guards
// fields with one is a monitor: the mutex is private, public functions lock it, and none of them returns with it held.
// Example: class Count { public: void add() { MutexLock const lock(mutex_); ++count_; }
//                        private: Mutex mutex_; int count_ EIN_GUARDED_BY(mutex_) = 0; };
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "lib/base/threads/thread_safety.hpp"

namespace ein {

class EIN_CAPABILITY("mutex") Mutex {
public:
    Mutex() = default;
    Mutex(Mutex const&) = delete;
    Mutex& operator=(Mutex const&) = delete;

    /// Whoever succeeds gives it to a MutexLock at once (adopt_held).
    [[nodiscard]] bool try_lock() EIN_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

private:
    friend class MutexLock;
    friend class Condition;
    void lock() EIN_ACQUIRE() { mutex_.lock(); }
    void unlock() EIN_RELEASE() { mutex_.unlock(); }

    std::mutex mutex_;
};

struct AdoptHeld {};
constexpr AdoptHeld adopt_held{};

/// Holds a mutex from here to the end of the scope.
class EIN_SCOPED_CAPABILITY MutexLock {
public:
    explicit MutexLock(Mutex& mutex) EIN_ACQUIRE(mutex) : mutex_(mutex) { mutex.lock(); }
    MutexLock(Mutex& mutex, AdoptHeld) EIN_REQUIRES(mutex) : mutex_(mutex) {}  // of a try_lock() that succeeded
    ~MutexLock() EIN_RELEASE() { mutex_.unlock(); }
    MutexLock(MutexLock const&) = delete;
    MutexLock& operator=(MutexLock const&) = delete;

private:
    friend class Condition;
    Mutex& mutex_;
};

/// Waits give the mutex away and have it again when they return. Predicates are called with it held: [&]()
/// EIN_REQUIRES(mutex_) { return ... }.
class Condition {
public:
    void notify_one() noexcept { condition_.notify_one(); }
    void notify_all() noexcept { condition_.notify_all(); }

    template <class Predicate>
    void wait(MutexLock const& lock,
              Predicate const& predicate) EIN_NOT_ANALYSED {  // it cannot tell whose mutex a predicate names
        while (!predicate()) wait(lock);
    }
    /// Until it is notified, or for no reason: the caller looks around and comes back.
    void wait(MutexLock const& lock) {
        std::unique_lock<std::mutex> held(lock.mutex_.mutex_, std::adopt_lock);
        condition_.wait(held);
        held.release();
    }
    /// As wait(lock), and no longer than until `time`.
    template <class Clock, class Duration>
    void wait_until(MutexLock const& lock, std::chrono::time_point<Clock, Duration> const& time) {
        std::unique_lock<std::mutex> held(lock.mutex_.mutex_, std::adopt_lock);
        condition_.wait_until(held, time);
        held.release();
    }

private:
    std::condition_variable condition_;
};

}  // namespace ein
