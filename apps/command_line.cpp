#include "apps/command_line.hpp"

#include "lib/base/error.hpp"
#include "lib/base/replaced_file.hpp"

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

void write_text(std::filesystem::path const& path, std::string const& text) { ReplacedFile("", path).write(text); }

}  // namespace ein::apps
