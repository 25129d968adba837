#include "tests/support/host_code.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <span>
#include <sstream>

#include "lib/base/hash.hpp"

namespace ein::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(fs::path const& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

HostLibrary host_library(fs::path const& folder, std::string const& text, std::string const& options) {
    std::string const compiler = EIN_TEST_COMPILER, flags = " -std=c++17 -w -fPIC -ffp-contract=off " + options,
                      key = compiler + flags + text;
    std::uint64_t const hash =
        ein::hash_bytes(std::span(reinterpret_cast<std::uint8_t const*>(key.data()), key.size()));
    std::string const stem = "kernels_" + std::to_string(hash);
    HostLibrary made{folder / (stem + ".so"), ""};
    if (fs::exists(made.path)) return made;
    // In a folder of its own, then renamed: tests beside this one may want the same. The name of the text is the same
    // in every build, for the compiler cache.
    fs::path const own = folder / (stem + "." + std::to_string(getpid()));
    fs::create_directories(own);
    std::ofstream(own / (stem + ".cpp")) << text;
    std::string const command = "cd '" + own.string() + "' && { " EIN_TEST_COMPILER_LAUNCHER " " + compiler + flags +
                                " -c -o code.o " + stem + ".cpp && " + compiler +
                                " -shared -o code.so code.o; } 2> log";
    if (std::system(command.c_str()) == 0)
        fs::rename(own / "code.so", made.path);
    else
        made.problem = text_of(own / "log").substr(0, 4000) + " ";
    if (std::getenv("EIN_TEST_KEEP") == nullptr) fs::remove_all(own);
    return made;
}

}  // namespace ein::test
