// One rank is ended by an exception that nothing catches, the others wait for it: all must end, with its exit code.
#include <chrono>
#include <new>
#include <thread>

#include "executor/transport/launcher.hpp"
#include "lib/base/terminate.hpp"

namespace {
void ask_for_memory() { throw std::bad_alloc(); }
void run_out_of_memory() noexcept { ask_for_memory(); }
}  // namespace

int main() {
    ein::set_terminate_of("ended_by_exception");
    ein::executor::Connection connection(std::getenv);
    if (connection.transport().rank() == ein::Rank{1}) run_out_of_memory();
    std::this_thread::sleep_for(std::chrono::seconds(30));
    return 0;
}
