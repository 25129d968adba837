#include "lib/base/terminate.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "lib/base/files/replaced_file.hpp"
#include "tests/lib/base/files/folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;

namespace {

struct End {
    int code = 0;
    std::string text;  // on stderr
};

End end_of(std::function<void()> const& body) {
    int pipe[2];
    REQUIRE(::pipe(pipe) == 0);
    pid_t const child = fork();
    if (child == 0) {
        dup2(pipe[1], STDERR_FILENO);
        std::signal(SIGABRT, SIG_DFL);  // not Catch's
        set_terminate_of("program");
        body();
        _exit(99);
    }
    close(pipe[1]);
    End end;
    char letter = 0;
    while (read(pipe[0], &letter, 1) == 1) end.text += letter;
    close(pipe[0]);
    int status = 0;
    waitpid(child, &status, 0);
    end.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return end;
}

template <class Thrown>
[[gnu::noinline]] void throw_one(Thrown thrown) {
    throw thrown;  // NOLINT: of any type
}
template <class Thrown>
void out_of_noexcept(Thrown thrown) noexcept {
    throw_one(thrown);
}

}  // namespace

TEST_CASE("memory that runs out where nothing may be thrown is one line and its exit code", "[lib][terminate]") {
    End const end = GENERATE(end_of([] { out_of_noexcept(std::bad_alloc()); }),
                             end_of([] { std::thread([] { throw std::bad_alloc(); }).join(); }));
    CHECK(end.code == 4);
    CHECK(end.text == "program: expected enough memory, found none left; free some or use a larger machine\n");
}

TEST_CASE("any other exception that nothing catches is a failure that says what it is", "[lib][terminate]") {
    End const known = end_of([] { out_of_noexcept(std::runtime_error("the cause")); });
    CHECK(known.code == 1);
    CHECK(known.text.find("program: internal error: ") == 0);
    CHECK(known.text.find("the cause\n") != std::string::npos);
    End const unknown = end_of([] { out_of_noexcept(7); });
    CHECK(unknown.code == 1);
    CHECK(unknown.text.find("unknown type") != std::string::npos);
    CHECK(end_of([] { std::terminate(); }).code == 1);
    End const long_text = end_of([] { out_of_noexcept(std::runtime_error(std::string(5000, 'x'))); });
    CHECK(long_text.text.size() < 2000);
    CHECK(long_text.text.back() == '\n');
}

TEST_CASE("what the process has not finished writing is gone when it is ended", "[lib][terminate]") {
    test::Folder const folder;
    End const end = end_of([&] {
        ReplacedFile published("", folder / "a"), unfinished("", folder / "b");
        published.write("whole");
        unfinished.create();
        unfinished.append("half");
        out_of_noexcept(std::bad_alloc());
    });
    CHECK(end.code == 4);
    CHECK(folder.names() == std::set<std::string>{"a"});
}

TEST_CASE("a record is left and the other processes are ended, in this order", "[lib][terminate]") {
    End const end = end_of([] {
        set_terminate_record([] { [[maybe_unused]] auto const n = write(STDERR_FILENO, "record\n", 7); });
        set_terminate_others([](int code) { _exit(code + 40); });
        out_of_noexcept(std::bad_alloc());
    });
    CHECK(end.code == 44);
    CHECK(end.text.substr(end.text.find('\n') + 1) == "record\n");
}
