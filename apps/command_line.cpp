#include "apps/command_line.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "lib/base/error.hpp"
#include "lib/base/files/output_place.hpp"
#include "lib/base/files/replaced_file.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein::apps {

std::string version(std::string const& program) { return program + " " EIN_VERSION; }

namespace {

/// A first word that is no command of a program with commands: CLI11 would only call it unexpected.
void refuse_unknown_command(CLI::App const& app, int argc, char const* const* argv) {
    if (app.get_require_subcommand_min() == 0 || argc < 2 || argv[1][0] == '-') return;
    std::vector<std::string> names;
    for (CLI::App const* command : app.get_subcommands([](CLI::App const*) { return true; }))
        names.push_back(command->get_name());
    std::string const word = argv[1];
    if (std::find(names.begin(), names.end(), word) != names.end()) return;
    std::string near = nearest_name(word, names);
    for (std::string const& name : names)
        if (word.size() > 2 && (word.starts_with(name) || name.starts_with(word))) near = name;
    throw UsageError("expected " + one_of(names) + ", found '" + word + "'; " +
                     (near.empty() ? "see --help" : "did you mean " + near + "?"));
}

/// Those that no option of the program takes, in the order in which they were given, and where they belong.
std::string unexpected(CLI::App const& app, int argc, char const* const* argv) {
    std::vector<std::string> left = app.remaining(true), words;
    for (int k = 1; k < argc; ++k) {
        auto const found = std::ranges::find(left, argv[k]);
        if (found == left.end()) continue;
        words.push_back(*found);
        left.erase(found);
    }
    words.insert(words.end(), left.begin(), left.end());  // written in another way
    std::string const said = "expected options that the program has, found " + joined(words, " ") + "; ";
    auto const begins = [&](std::initializer_list<std::string_view> names) {
        return std::ranges::any_of(words, [&](std::string const& word) {
            return std::ranges::find(names, word.substr(0, word.find('='))) != names.end();
        });
    };
    if (begins({"--time", "--partition", "--account", "--qos", "--nodes", "--ntasks", "--mail-type", "--mem"}))
        return said + "that is sbatch's: write the script into a file, then sbatch " + joined(words, " ") + " job.sh";
    if (begins({"-n", "-np", "--ranks"}))
        return said + "the launcher says how many ranks there are: mpirun -n 2 einrun SCHEDULE";
    if (begins({"--every", "--stop-at", "--checkpoint"}))
        return said + "that is einrun's: write it behind einrun, also in a batch script";
    return said + "see --help";
}

/// What else is a frequent slip; empty for others.
std::string slip(int argc, char const* const* argv, std::string const& message) {
    for (int k = 1; k < argc; ++k)
        if (std::string_view(argv[k]) == "-np" && message.find("ranks") != std::string::npos)
            return "expected -n RANKS, found -np; write -n " + std::string(k + 1 < argc ? argv[k + 1] : "4");
    constexpr std::string_view sizes = "SIZES: Value ";
    auto const at = message.find(sizes);
    if (at == std::string::npos) return "";
    std::string text = message.substr(at + sizes.size());
    text.resize(std::min(text.size(), text.find(' ')));
    if (text.empty() || text.find_first_not_of("0123456789x") != std::string::npos) return "";
    std::string apart = text;
    std::ranges::replace(apart, 'x', ' ');
    return "expected sizes as words, found '" + text + "'; write " + apart;
}

}  // namespace

std::optional<int> parse(CLI::App& app, int argc, char const* const* argv) {
    refuse_unknown_command(app, argc, argv);
    try {
        app.parse(argc, argv);
    } catch (CLI::Success const& asked) {  // --help, --version
        return app.exit(asked);
    } catch (CLI::ExtrasError const&) {
        throw UsageError(unexpected(app, argc, argv));
    } catch (CLI::ParseError const& error) {
        if (std::string const known = slip(argc, argv, error.what()); !known.empty()) throw UsageError(known);
        throw UsageError(std::string(error.what()) + "; see --help");
    }
    return std::nullopt;
}

std::int64_t memory_budget(std::string const& text, std::string const& option) {
    auto const bytes = parse_bytes(text);
    if (!bytes || *bytes == 0)
        throw UsageError(option + ": expected a size such as 8GiB, found '" + text +
                         "'; write a number and a unit (B, KB, MB, GB, TB, KiB, MiB, GiB, TiB)");
    return *bytes;
}

CLI::Validator number_from(double least, bool open) {
    auto const check = [least, open](std::string const& text) {
        double value = 0;
        bool const fits =
            CLI::detail::lexical_cast(text, value) && std::isfinite(value) && (open ? value > least : value >= least);
        std::ostringstream expected;
        expected << "expected a number " << (open ? "above " : "of at least ") << least << ", found '" << text << "'";
        return fits ? std::string() : expected.str();
    };
    return CLI::Validator(check, "");
}

void check_written(std::vector<NamedPath> const& written, std::vector<NamedPath> const& read) {
    namespace fs = std::filesystem;
    auto const same = [](fs::path const& a, fs::path const& b) {
        std::error_code error;
        if (fs::exists(a, error) && !fs::is_regular_file(a, error)) return false;  // a device or a pipe keeps nothing
        if (fs::equivalent(a, b, error)) return true;
        return fs::absolute(a).lexically_normal() == fs::absolute(b).lexically_normal();
    };
    auto const check = [&](NamedPath const& mine, NamedPath const& other, char const* what) {
        if (mine.second.empty() || other.second.empty() || !same(mine.second, other.second)) return;
        throw UsageError(mine.first + ": expected another file than " + other.first + ", which " + what + ", found '" +
                         mine.second.string() + "' for both; give another name");
    };
    for (std::size_t w = 0; w < written.size(); ++w) {
        for (NamedPath const& input : read) check(written[w], input, "is read");
        for (std::size_t other = 0; other < w; ++other) check(written[w], written[other], "is written too");
    }
}

void write_text(std::filesystem::path const& path, std::string const& text) {
    require_folder_of(path);
    ReplacedFile("", path).write(text);
}

}  // namespace ein::apps
