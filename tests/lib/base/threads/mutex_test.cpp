#include "lib/base/threads/mutex.hpp"

#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

using namespace ein;

namespace {

class Gate {
public:
    void add() {
        MutexLock const lock(mutex_);
        ++count_;
        changed_.notify_all();
    }
    int wait_for(int least) {
        MutexLock const lock(mutex_);
        changed_.wait(lock, [&]() EIN_REQUIRES(mutex_) { return count_ >= least; });
        return count_;
    }
    bool is_free() {
        if (!mutex_.try_lock()) return false;
        MutexLock const lock(mutex_, adopt_held);
        return true;
    }
    bool is_held_meanwhile() {
        MutexLock const lock(mutex_);
        bool free = true;
        std::thread([&] { free = is_free(); }).join();
        return !free;
    }

private:
    Mutex mutex_;
    Condition changed_;
    int count_ EIN_GUARDED_BY(mutex_) = 0;
};

}  // namespace

TEST_CASE("a mutex is held for a scope and free afterwards", "[lib][mutex]") {
    Gate gate;
    CHECK(gate.is_held_meanwhile());
    CHECK(gate.is_free());
}

TEST_CASE("a wait gives the mutex away, and ends when its predicate holds", "[lib][mutex]") {
    Gate gate;
    std::vector<std::thread> others;
    for (int i = 0; i < 3; ++i) others.emplace_back([&] { gate.add(); });
    CHECK(gate.wait_for(3) == 3);
    for (std::thread& other : others) other.join();
    CHECK(gate.is_free());
}
