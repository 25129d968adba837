#include "executor/health/crash_handler.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <thread>

#include "executor/checkpoint/wishes.hpp"
#include "tests/support/catch.hpp"

using namespace ein::executor;

namespace {

/// What became of a process that did this, and what it wrote.
struct End {
    int status = 0;
    std::string text;
};

End end_of(std::function<void(int pipe)> const& body) {
    int pipe[2];
    REQUIRE(::pipe(pipe) == 0);
    pid_t const child = fork();
    if (child == 0) {
        for (int signal : {SIGTERM, SIGSEGV}) std::signal(signal, SIG_DFL);  // not Catch's
        body(pipe[1]);
        _exit(0);
    }
    close(pipe[1]);
    End end;
    char letter = 0;
    while (read(pipe[0], &letter, 1) == 1) end.text += letter;
    close(pipe[0]);
    waitpid(child, &end.status, 0);
    return end;
}

void put(int pipe, std::string const& text) { [[maybe_unused]] auto const n = write(pipe, text.data(), text.size()); }

}  // namespace

TEST_CASE("a signal has its report, then does what it would have done", "[executor][crash_handler]") {
    int const signal = GENERATE(SIGTERM, SIGUSR1, SIGSEGV);
    End const end = end_of([&](int pipe) {
        CrashHandler const last(
            [&](Ending const& ending) { put(pipe, ending.why + (ending.is_crash() ? " crash" : "")); });
        raise(signal);
        _exit(0);
    });
    CHECK(WIFSIGNALED(end.status));
    CHECK(WTERMSIG(end.status) == signal);
    CHECK(end.text.find("signal " + std::to_string(signal) + " (") == 0);
    CHECK((end.text.find(" crash") != std::string::npos) == (signal == SIGSEGV));
}

TEST_CASE("an error has its report once, and a run that ends well has none", "[executor][crash_handler]") {
    End const failed = end_of([](int pipe) {
        CrashHandler last([&](Ending const& ending) { put(pipe, ending.why + "."); });
        last.say("too large");
        last.say("another");
        _exit(7);
    });
    CHECK(WEXITSTATUS(failed.status) == 7);
    CHECK(failed.text == "too large.");
    End const done = end_of([](int pipe) {
        for (int iteration = 0; iteration < 3; ++iteration)
            CrashHandler const last([&](Ending const&) { put(pipe, "said"); });
        put(pipe, "done");
    });
    CHECK(done.status == 0);
    CHECK(done.text == "done");
}

TEST_CASE("reports that crash, throw or never end hide nothing", "[executor][crash_handler]") {
    std::function<void()> const fault = GENERATE(
        as<std::function<void()>>(), [] { raise(SIGSEGV); }, [] { throw 1; }, [] { pause(); });
    End const by_signal = end_of([&](int) {
        CrashHandler const last([&](Ending const&) { fault(); });
        raise(SIGTERM);
        _exit(0);
    });
    CHECK(WIFSIGNALED(by_signal.status));
    CHECK(WTERMSIG(by_signal.status) == SIGTERM);
    End const by_error = end_of([&](int) {
        {
            CrashHandler last([&](Ending const&) { fault(); });
            last.say("too large");
        }
        _exit(7);
    });
    CHECK(WEXITSTATUS(by_error.status) == 7);
}

TEST_CASE("a signal that was ignored stays so", "[executor][crash_handler]") {
    End const end = end_of([](int pipe) {
        std::signal(SIGHUP, SIG_IGN);
        CrashHandler const last([&](Ending const&) { put(pipe, "said"); });
        raise(SIGHUP);
        put(pipe, "goes on");
        _exit(0);
    });
    CHECK(end.text == "goes on");
}

TEST_CASE("a crash ends with what is known to cause it, an end by request does not", "[executor][crash_handler]") {
    int const signal = GENERATE(SIGTERM, SIGSEGV);
    for (bool const over : {false, true}) {
        End const end = end_of([&](int pipe) {
            CrashHandler const last([&](Ending const& ending) { put(pipe, ending.why); });
            std::optional<CrashHint> hint(std::in_place, "; leave it out");
            if (over) hint.reset();
            raise(signal);
            _exit(0);
        });
        CHECK((end.text.find("; leave it out") != std::string::npos) == (signal == SIGSEGV && !over));
    }
}

TEST_CASE("a second signal ends a run that may be stopped, with its report", "[executor][crash_handler]") {
    int const signal = GENERATE(SIGTERM, SIGUSR1);
    End const end = end_of([&](int pipe) {
        alarm(20);                // handlers that hand the signal to one another would never end
        StopSignals const outer;  // as einrun does while MPI starts
        CrashHandler const last([&](Ending const& ending) { put(pipe, ending.why); });
        StopSignals const inner;
        raise(signal);
        put(pipe, StopSignals::received() == signal ? "wish " : "none ");
        raise(signal);
        _exit(0);
    });
    CHECK(WIFSIGNALED(end.status));
    CHECK(WTERMSIG(end.status) == signal);
    CHECK(end.text.find("wish signal " + std::to_string(signal) + " (") == 0);
}
