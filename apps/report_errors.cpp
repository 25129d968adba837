#include "apps/report_errors.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>
#include <string>

#include "lib/base/error.hpp"
#include "lib/base/terminate.hpp"

namespace ein::apps {
namespace {

/// On a wrong command line every rank finds the same fault, before they can talk: the first one reports it, of each
/// part of an mpirun command that has several.
bool first_or_alone() {
    char const *const parts = std::getenv("OMPI_APP_CTX_NUM_PROCS"), *const self = std::getenv("OMPI_COMM_WORLD_RANK");
    if (parts != nullptr && self != nullptr) {
        std::istringstream sizes(parts);
        long first = 0;
        for (long size; sizes >> size; first += size)
            if (std::to_string(first) == self) return true;
        return false;
    }
    for (char const* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
        if (char const* rank = std::getenv(name)) return std::string(rank) == "0";
    return true;
}

/// Before anything else is made, objects of static storage included.
[[gnu::constructor(101)]] void answer_terminate() { set_terminate_of(program_invocation_short_name); }

/// What was written to stdout is there, or it is reported.
int flushed(char const* program, int code) {
    std::cout.flush();
    errno = 0;
    bool const kept = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
    if (kept) return code;
    std::string const why = errno == 0 ? "" : std::string(" (") + std::strerror(errno) + ")";
    say(program, "standard output: expected to write all of it, found that it takes no more" + why +
                     "; make room, or write elsewhere");
    return code == 0 ? static_cast<int>(ExitCode::failure) : code;
}

}  // namespace

void say(char const* program, std::string const& message) {
    std::istringstream lines(message);
    std::string all;
    for (std::string line; std::getline(lines, line);) all += std::string(program) + ": " + printable(line) + "\n";
    std::fputs(all.c_str(), stderr);
}

int report_errors(char const* program, std::function<int()> const& body) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of its write, which says so
    try {
        return flushed(program, body());
    } catch (InputError const& error) {  // its lines begin with the file's name, as compilers' do
        std::fprintf(stderr, "%s\n", error.what());
        return static_cast<int>(error.code());
    } catch (UsageError const& error) {
        if (first_or_alone()) say(program, error.what());
        return static_cast<int>(error.code());
    } catch (Error const& error) {
        say(program, error.what());
        return static_cast<int>(error.code());
    } catch (std::bad_alloc const&) {
        say(program, "expected enough memory, found none left; free some or use a larger machine");
        return static_cast<int>(ExitCode::no_memory);
    } catch (std::exception const& error) {
        say(program, InternalError(error.what()).what());
        return static_cast<int>(ExitCode::failure);
    }
}

}  // namespace ein::apps
