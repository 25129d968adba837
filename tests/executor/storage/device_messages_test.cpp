// Whether messages reach devices, where MPI says that they do and it is otherwise.
#include "executor/storage/device_messages.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "executor/device/emulated/emulated_device.hpp"
#include "executor/health/crash_handler.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rank_threads.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

constexpr std::int64_t message_bytes = std::int64_t{1} << 20;

/// What two ranks find, or report.
std::vector<std::string> found(DeviceMessages wanted, LoopbackOptions const& options) {
    return test::on_ranks(2, options, [&](Transport& transport) -> std::string {
        EmulatedDevice device;
        try {
            std::byte* const memory = device.reserve(message_bytes);
            return messages_reach_devices(transport, wanted, &device, memory, message_bytes) ? "yes" : "no";
        } catch (std::exception const& error) {
            return error.what();
        }
    });
}

}  // namespace

TEST_CASE("patterns are sent by threads that have entered their device", "[executor][device]") {
    for (std::string const& answer : found(DeviceMessages::automatic, {.check_access = check_emulated_access}))
        CHECK(answer == "yes");
    for (std::string const& answer : found(DeviceMessages::off, {})) CHECK(answer == "no");
}

TEST_CASE("an MPI that crashes over a device's memory is reported with the option that avoids it",
          "[executor][device]") {
    int pipe[2];
    REQUIRE(::pipe(pipe) == 0);
    pid_t const child = fork();
    if (child == 0) {
        std::signal(SIGSEGV, SIG_DFL);  // not Catch's
        CrashHandler const last([&](Ending const& ending) {
            [[maybe_unused]] auto const n = write(pipe[1], ending.why.data(), ending.why.size());
        });
        LoopbackOptions options;
        options.check_access = [](void const*) { raise(SIGSEGV); };
        found(DeviceMessages::automatic, options);
        _exit(0);
    }
    close(pipe[1]);
    std::string text;
    for (char letter = 0; read(pipe[0], &letter, 1) == 1;) text += letter;
    close(pipe[0]);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    CHECK_THAT(text, Catch::Contains("signal 11") && Catch::Contains("run again with --gpu-aware off"));
}
