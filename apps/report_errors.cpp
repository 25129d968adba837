#include "apps/report_errors.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string>

#include "lib/base/error.hpp"

namespace ein::apps {
namespace {

void say(char const* program, std::string const& message) {
    std::istringstream lines(message);
    for (std::string line; std::getline(lines, line);) std::fprintf(stderr, "%s: %s\n", program, line.c_str());
}

}  // namespace

int report_errors(char const* program, std::function<int()> const& body) {
    try {
        return body();
    } catch (InputError const& error) {   // its lines begin with the file's name, as compilers' do
        std::fprintf(stderr, "%s\n", error.what());
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
