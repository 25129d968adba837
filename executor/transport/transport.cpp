#include "executor/transport/transport.hpp"

#include <thread>

namespace ein::executor {

void Transport::barrier() {
    start_barrier();
    while (!test_barrier()) std::this_thread::yield();
}

}  // namespace ein::executor
