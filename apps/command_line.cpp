#include "apps/command_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <sstream>
#include <string_view>

#include "apps/usage_mends.hpp"
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
    throw UsageError("expected " + one_of(names) + ", found '" + word + "'; " + command_mend(word, names));
}

/// What --help says stands behind an option, by the option's name: one word means one thing in all programs.
struct Value {
    std::string_view option, is;
};
constexpr std::array values{
    Value{"input", "NAME=FILE"}, Value{"set", "NAME=NUMBER"}, Value{"memory", "SIZE"},  Value{"device-memory", "SIZE"},
    Value{"every", "TIME"},      Value{"stop-at", "TIME"},    Value{"out", "DIR"},      Value{"resume", "DIR"},
    Value{"checkpoint", "DIR"},  Value{"spill-dir", "DIR"},   Value{"output", "FILE"},  Value{"inputs-below", "DIR"},
    Value{"plan-in", "FILE"},    Value{"plan-out", "FILE"},   Value{"cluster", "FILE"}, Value{"cluster-out", "FILE"},
    Value{"report", "FILE"},     Value{"trace", "FILE"},      Value{"tokens", "FILE"},  Value{"place", "NAME"},
    Value{"decompose", "NAME"},  Value{"device", "NAME"},     Value{"dtype", "DTYPE"},
};

void name_values(CLI::App& app) {
    for (CLI::Option* option : app.get_options())
        for (std::string const& name : option->get_lnames()) {
            auto const* const known = std::ranges::find(values, std::string_view(name), &Value::option);
            if (known != values.end() && option->get_type_name().starts_with("TEXT"))
                option->type_name(std::string(known->is));
        }
    for (CLI::App* command : app.get_subcommands([](CLI::App const*) { return true; })) name_values(*command);
}

/// Nothing behind an option that names a file, a size or the like is a variable that the shell has not: a run without
/// the checkpoints, or the limit, that were asked for would look like one with them.
void refuse_empty_values(CLI::App const& app) {
    for (CLI::Option const* option : app.get_options()) {
        std::string const is = option->get_type_name();
        bool const is_named = std::ranges::find(values, std::string_view(is), &Value::is) != values.end();
        if (is_named && std::ranges::find(option->results(), "") != option->results().end())
            throw UsageError(Fault{"", option->get_name(), is, "''",
                                   "write it, or leave the option out (is a variable of the shell not set?)"});
    }
    for (CLI::App const* command : app.get_subcommands()) refuse_empty_values(*command);
}

}  // namespace

std::optional<int> parse(CLI::App& app, int argc, char const* const* argv) {
    name_values(app);
    refuse_unknown_command(app, argc, argv);
    std::span<char const* const> const words(argv + std::min(argc, 1), static_cast<std::size_t>(std::max(0, argc - 1)));
    try {
        app.parse(argc, argv);
    } catch (CLI::Success const& asked) {  // --help, --version
        return app.exit(asked);
    } catch (CLI::ExtrasError const&) {
        throw UsageError(unexpected_words(app, words));
    } catch (CLI::ParseError const& error) {
        throw UsageError(usage_message(app, words, error));
    }
    refuse_empty_values(app);
    return std::nullopt;
}

std::int64_t memory_budget(std::string const& text, std::string const& option) {
    auto const bytes = parse_bytes(text);
    if (!bytes || *bytes == 0)
        throw UsageError(Fault{"", option, std::string(example_of_size), "'" + text + "'", mend_size(text)});
    return *bytes;
}

std::vector<std::string> small_sizes(std::vector<std::pair<std::string, std::string>> const& sizes) {
    std::vector<std::string> out;
    for (auto const& [option, text] : sizes)
        if (std::string const note = note_of_small(text); !note.empty()) out.push_back(option + ": " + note);
    return out;
}

namespace {

/// For a number with a unit of time, where seconds are asked for: "5min", "1h".
std::string mend_time(std::string const& text) {
    constexpr std::array<std::pair<std::string_view, int>, 5> units{
        {{"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}, {"d", 86400}}};
    auto const parts = number_and_unit(text);
    if (!parts) return "";
    for (auto const& [unit, seconds] : units)
        if (parts->unit == unit) {
            std::ostringstream out;
            out << "; write it in seconds: " << parts->number * seconds;
            return out.str();
        }
    return "";
}

}  // namespace

CLI::Validator number_from(double least, bool open) {
    auto const check = [least, open](std::string const& text) {
        double value = 0;
        bool const fits =
            CLI::detail::lexical_cast(text, value) && std::isfinite(value) && (open ? value > least : value >= least);
        std::ostringstream expected;
        expected << "expected a number " << (open ? "above " : "of at least ") << least << ", found '" << text << "'"
                 << mend_time(text);
        return fits ? std::string() : expected.str();
    };
    return CLI::Validator(check, "");
}

namespace {

constexpr char const* standard_output = "/dev/stdout";

}  // namespace

std::filesystem::path output_path(std::filesystem::path const& written) {
    return written == "-" ? standard_output : written;
}

bool is_standard_output(std::filesystem::path const& path) { return path == standard_output; }

void write_text(std::filesystem::path const& path, std::string const& text) {
    require_folder_of(path);
    ReplacedFile("", path).write(text);
}

}  // namespace ein::apps
