#include "apps/command_line.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "lib/base/error.hpp"

namespace ein::apps {

std::string version(std::string const& program) { return program + " " EIN_VERSION; }

std::optional<int> parse(CLI::App& app, int argc, char const* const* argv) {
    try {
        app.parse(argc, argv);
    } catch (CLI::Success const& asked) {  // --help, --version
        return app.exit(asked);
    } catch (CLI::ParseError const& error) {
        throw UsageError(std::string(error.what()) + "; see --help");
    }
    return std::nullopt;
}

void write_text(std::filesystem::path const& path, std::string const& text) {
    std::filesystem::path const partial = path.string() + ".partial";
    {
        std::ofstream out(partial, std::ios::binary | std::ios::trunc);
        out << text << std::flush;
        if (!out)
            throw RunError(path.string() + ": expected to write it, found: " + std::strerror(errno) +
                           "; choose another place or free space");
    }
    std::error_code error;
    std::filesystem::rename(partial, path, error);
    if (error)
        throw RunError(path.string() + ": expected to write it, found: " + error.message() + "; choose another place");
}

}  // namespace ein::apps
