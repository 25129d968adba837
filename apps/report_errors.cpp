#include "apps/report_errors.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>
#include <string>

#include "lib/base/error.hpp"

namespace ein::apps {
namespace {

/// On a wrong command line every rank finds the same fault, before they can talk: the first one tells it.
bool first_or_alone() {
    for (char const* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
        if (char const* rank = std::getenv(name)) return std::string(rank) == "0";
    return true;
}

}  // namespace

void say(char const* program, std::string const& message) {
    std::istringstream lines(message);
    std::string all;
    for (std::string line; std::getline(lines, line);) all += std::string(program) + ": " + printable(line) + "\n";
    std::fputs(all.c_str(), stderr);
}

int report_errors(char const* program, std::function<int()> const& body) {
    try {
        return body();
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
