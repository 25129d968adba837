#include "lib/base/terminate.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "lib/base/error.hpp"
#include "lib/base/files/unfinished_files.hpp"

namespace ein {

namespace {

constexpr unsigned longest_end = 10;  // seconds: what does not come back is ended by SIGALRM

char const* program = "";
std::atomic<void (*)()> record{nullptr};
std::atomic<void (*)(int)> end_others{nullptr};

void say(char const* what, char const* more) {
    char const* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
    char line[1024];
    int const length = std::snprintf(line, sizeof line - 1, "%s: %s%s%s%s%s\n", program, rank == nullptr ? "" : "rank ",
                                     rank == nullptr ? "" : rank, rank == nullptr ? "" : ": ", what, more);
    auto left = length < 0 ? std::size_t{0} : std::min(static_cast<std::size_t>(length), sizeof line - 1);
    if (left == sizeof line - 1) line[left - 1] = '\n';
    for (char const* from = line; left > 0;) {
        ssize_t const written = ::write(STDERR_FILENO, from, left);
        if (written <= 0) return;
        from += written;
        left -= static_cast<std::size_t>(written);
    }
}

/// Says what ended the process. @return its exit code
ExitCode explain() {
    if (std::current_exception() == nullptr) {
        say("internal error: the program ended itself (std::terminate); please report it", "");
        return ExitCode::failure;
    }
    try {
        throw;
    } catch (std::bad_alloc const&) {
        say("expected enough memory, found none left; free some or use a larger machine", "");
        return ExitCode::no_memory;
    } catch (std::exception const& error) {
        say("internal error: an exception that nothing caught; please report it: ", error.what());
    } catch (...) {
        say("internal error: an exception of unknown type that nothing caught; please report it", "");
    }
    return ExitCode::failure;
}

[[noreturn]] void end_process() {
    static std::atomic_flag ending = ATOMIC_FLAG_INIT;
    if (ending.test_and_set())
        while (true) pause();  // another thread ends the process already
    alarm(longest_end);
    int const code = static_cast<int>(explain());
    if (auto const leave_record = record.load()) leave_record();
    UnfinishedFiles::remove_all();
    if (auto const end = end_others.load()) end(code);
    std::_Exit(code);
}

}  // namespace

void set_terminate_of(char const* name) {
    program = name;
    std::set_terminate(end_process);
}

void set_terminate_record(void (*leave_record)()) { record = leave_record; }
void set_terminate_others(void (*end)(int code)) { end_others = end; }

}  // namespace ein
