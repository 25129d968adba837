#include "apps/usage_mends.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "apps/usage_tables.hpp"
#include "lib/base/error.hpp"
#include "lib/base/text/near_names.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein::apps {
namespace {

using namespace std::string_view_literals;
using namespace usage_tables;

std::string name_in(std::string_view word) { return std::string(word.substr(0, word.find('='))); }

/// The command that was given, or the program itself.
CLI::App const& parsed(CLI::App const& app) {
    auto const commands = app.get_subcommands();
    return commands.empty() ? app : parsed(*commands.front());
}

std::vector<std::string> options_of(CLI::App const& app) {
    std::vector<std::string> names;
    for (CLI::Option const* option : app.get_options()) {
        for (std::string const& name : option->get_snames()) names.push_back("-" + name);
        for (std::string const& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

bool is_number(std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_whole(std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Two words where there should be one: "8 GB", "--explain plan.html", "--verify 100".
std::string two_words(CLI::App const& app, std::string const& before, std::string const& word) {
    constexpr std::array units{"B"sv,  "K"sv,  "M"sv,   "G"sv,   "T"sv,   "KB"sv, "MB"sv,
                               "GB"sv, "TB"sv, "KiB"sv, "MiB"sv, "GiB"sv, "TiB"sv};
    if (is_number(before) && std::ranges::find(units, word) != units.end())
        return "write it in one word: " + before + word;
    if (before == "--explain" && (word.ends_with(".html") || word.ends_with(".json") || word.ends_with(".txt"))) {
        std::string const form = word.substr(word.rfind('.') + 1);
        return "it prints: --explain=" + (form == "txt" ? "text" : form) + " > " + word;
    }
    CLI::Option const* const ranks = app.get_option_no_throw("--ranks");
    if (is_whole(word) && ranks != nullptr && ranks->count() == 0) return did_you_mean("-n " + word);
    if (app.get_option_no_throw("--shapes") != nullptr && word.find_first_not_of("0123456789x,") == std::string::npos)
        return "write x between the extents of an operand, commas between operands: --shapes 10x20,20x30";
    CLI::Option const* const option = before.starts_with("-") ? app.get_option_no_throw(before) : nullptr;
    if (option != nullptr && option->get_items_expected_max() == 0) return "write " + before + "=" + word;
    return "";
}

/// NAME=VALUE in two words or three, or several behind one option: "--input A = A.npy", "--set eta 0.1".
/// @param at  of the first word that no option took
std::string mend_named_value(std::span<char const* const> all, std::size_t at) {
    auto const word = [&](std::size_t k) { return k < all.size() ? std::string(all[k]) : std::string(); };
    if (at < 2 || (word(at - 2) != "--input" && word(at - 2) != "--set")) return "";
    std::string const option = word(at - 2);
    std::string name = word(at - 1);
    if (name.ends_with('=')) name.pop_back();
    if (name.find('=') != std::string::npos)
        return word(at).find('=') == std::string::npos
                   ? ""
                   : "write " + option + " once for each: " + option + " " + word(at);
    std::string value = word(at) == "=" ? word(at + 1) : word(at);
    if (value.starts_with('=')) value.erase(0, 1);
    return value.empty() || value.starts_with('-') ? "" : "write it in one word: " + option + " " + name + "=" + value;
}

/// What CLI11 says of an option that was given too often, together with another one, or with a value that it has not.
std::string wrong_use(std::string const& said) {
    constexpr std::string_view excludes = " excludes ", too_many = ": At Most ", convert = "Could not convert: ";
    if (auto const at = said.find(excludes); at != std::string::npos) {
        std::string const other = said.substr(at + excludes.size());
        return said.substr(0, at) + ": expected no " + other + " with it, found both; leave one out";
    }
    if (auto const at = said.find(too_many); at != std::string::npos) {
        std::string const count =
            said.substr(at + too_many.size(), said.find(' ', at + too_many.size()) - at - too_many.size());
        std::string const found = said.substr(said.rfind(' ') + 1);
        return said.substr(0, at) + ": expected " + (count == "1" ? "it once" : "at most " + count) + ", found " +
               found + (count == "1" ? " times" : "") + "; leave out what is too much";
    }
    if (auto const at = said.find(convert); at != std::string::npos) {
        std::string const both = said.substr(at + convert.size());
        std::string const option = both.substr(0, both.find(" = "));
        std::string const value = both.find(" = ") == std::string::npos ? "" : both.substr(both.find(" = ") + 3);
        return option + ": expected a number behind it, or nothing, found '" + value + "'; write " + option + " alone";
    }
    return "";
}

/// "--checkpoint: 1 required TEXT missing": what stands behind it, as its help says.
std::string missing_value(CLI::App const& app, std::string const& said) {
    auto const colon = said.find(": ");
    if (colon == std::string::npos || said.find(" required ") == std::string::npos || !said.ends_with(" missing"))
        return "";
    std::string const name = said.substr(0, colon);
    CLI::Option const* const option = app.get_option_no_throw(name);
    std::string about = option != nullptr ? option->get_description() : "";
    about.resize(std::min({about.size(), about.find(": "), about.find("; ")}));
    if (name == "--batch") about = "slurm or mpirun";
    if (name == "-o" || name == "--output") about = "the file to write";
    return name + ": expected a value behind it, found none" + (about.empty() ? "" : "; it is: " + about);
}

/// Of a grid of ranks, as "2x4" or "2,4"; "" for other texts.
std::string product_of(std::string const& grid) {
    if (grid.find_first_of("x,*") == std::string::npos) return "";
    std::int64_t product = 1, side = 0;
    for (char const c : grid + "x") {
        bool const ends = c == 'x' || c == ',' || c == '*';
        if (!ends && (c < '0' || c > '9')) return "";
        side = ends ? side : side * 10 + (c - '0');
        if (ends && (side < 1 || side > 1000)) return "";
        if (ends) product *= side, side = 0;
    }
    return std::to_string(product);
}

/// A whole number in other words: "1e3", "4.0".
std::string mend_whole(std::string const& option, std::string const& value) {
    auto const parts = number_and_unit(value);
    bool const whole = parts && parts->unit.empty() && parts->number >= 1 && parts->number < 1e15 &&
                       std::nearbyint(parts->number) == parts->number && !is_whole(value);
    if (whole) return "; write " + std::to_string(static_cast<std::int64_t>(parts->number));
    if (std::string const product = product_of(value); option == "--ranks" && !product.empty())
        return "; write -n " + product + R"(, and "mesh": {"a": 2, "b": 4} in the graph for a grid of ranks)";
    if (option == "--ranks" && !parts) return "; write -n 4 for four ranks";
    if (option != "--sweep") return "";
    std::string listed = value;
    std::ranges::replace(listed, ' ', ',');
    bool const blanks = listed != value && listed.find_first_not_of("0123456789,") == std::string::npos;
    return blanks ? "; write commas between them: " + listed : "";
}

/// "--ranks: Value four not in range 1 to 1048576", "--batch: pbs not in {slurm,mpirun}".
std::string wrong_value(std::string const& said) {
    auto const colon = said.find(": ");
    auto const not_in = said.find(" not in ");
    if (colon == std::string::npos || not_in == std::string::npos || not_in < colon) return "";
    std::string const option = said.substr(0, colon);
    std::string value = said.substr(colon + 2, not_in - colon - 2);
    if (value.starts_with("Value ")) value.erase(0, 6);
    std::string const found = ", found '" + value + "'";
    std::string const rest = said.substr(not_in + 8);
    if (rest.starts_with("range ")) {
        std::string mend = mend_whole(option, value);
        bool const ends = value.find_first_of("0123456789") == 0 && value.find_first_of("-:") != std::string::npos;
        if (option == "--sweep" && ends) mend = "; write each: 1,2,4,8";
        if (value == "auto" || value == "default") mend = "; leave the option out for that";
        if (option == "--ranks" && !mend.empty() && value == "auto")
            mend = "; write a number; --sweep 1,2,4,8 compares several";
        if (option == "--threads" && value == "0") mend = "; leave the option out for as many as there are cores";
        return option + ": expected a whole number from " + rest.substr(6) + found + mend;
    }
    if (!rest.starts_with('{') || !rest.ends_with('}')) return "";
    std::vector<std::string> known = CLI::detail::split(rest.substr(1, rest.size() - 2), ',');
    std::string const otherwise =
        option == "--batch" ? "write mpirun, and put the command that it prints into a script for that scheduler" : "";
    return Fault{"", option, one_of(known), "'" + value + "'", mend_name(value, known, otherwise)}.text();
}

/// What has no value: "-n, --ranks is required".
std::string missing_word(CLI::App const& app, std::string const& said) {
    if (said == "WHAT is required" && app.get_option_no_throw("FORMAT") != nullptr) {
        std::string const format = app.get_option("FORMAT")->as<std::string>();
        if (format.find("->") != std::string::npos || format.find(',') != std::string::npos)
            return "expected a format first, found the expression; write import einsum \"" + format + "\"";
    }
    if (said == "GRAPH is required") return "expected GRAPH, a file that says what to compute, found none; see --help";
    if (said == "SCHEDULE is required") return "expected SCHEDULE, a file that einplan wrote, found none; see --help";
    constexpr std::string_view required = " is required", requires_ = " requires ";
    if (said == "A subcommand is required") {
        std::vector<std::string> names;
        for (CLI::App const* command : app.get_subcommands([](CLI::App const*) { return true; }))
            names.push_back(command->get_name());
        return "expected a command (" + one_of(names) + "), found none; see --help";
    }
    if (auto const at = said.find(requires_); at != std::string::npos)
        return said.substr(0, at) + ": expected " + said.substr(at + requires_.size()) + " with it, found none; add it";
    if (!said.ends_with(required)) return "";
    std::string const name = said.substr(0, said.size() - required.size());
    CLI::Option const* const option = app.get_option_no_throw(name);
    std::string const about = option != nullptr ? option->get_description() : "";
    return "expected " + name + (about.empty() ? "" : " (" + about + ")") + ", found none; see --help";
}

/// "-n 4" behind a program that mpirun starts: the line that was meant, with the number, the file and all else.
std::string ranks_behind_program(CLI::App const& app, std::span<char const* const> all) {
    std::string found, ranks, line, schedule;
    for (std::size_t k = 0; k < all.size(); ++k) {
        std::string const word = all[k], name = name_in(word);
        bool const first = found.empty() && std::ranges::find(launcher, name) != launcher.end();
        if (!first) {
            if (word.ends_with(".sched")) schedule = word;
            line += " " + word;
            continue;
        }
        found = word;
        if (word.find('=') != std::string::npos) {
            ranks = word.substr(name.size() + 1);
        } else if (k + 1 < all.size() && is_whole(all[k + 1])) {
            ranks = all[++k];
            found += " " + ranks;
        }
    }
    std::string const said = "expected options that the program has, found " + found +
                             "; the launcher says how many ranks there are: mpirun -n " + (ranks.empty() ? "4" : ranks);
    bool const runs = app.get_option_no_throw("SCHEDULE") != nullptr && app.get_subcommands({}).empty();
    return said + " einrun" + (runs && !schedule.empty() ? line : " SCHEDULE");
}

/// A memory of sbatch is that of a node: our budget of one rank is another thing, and may be meant.
std::string mend_of_sbatch(CLI::App const& command, std::vector<std::string> const& words) {
    std::string const mend =
        "that is sbatch's: write the script into a file, then sbatch " + joined(words, " ") + " job.sh";
    auto const memory = std::ranges::find_if(words, [](std::string const& word) { return word.starts_with("--mem"); });
    if (memory == words.end() || command.get_option_no_throw("--memory") == nullptr) return mend;
    auto const equals = memory->find('=');
    std::string size = "4G";
    if (equals != memory->npos)
        size = memory->substr(equals + 1);
    else if (memory + 1 != words.end())
        size = *(memory + 1);
    if (is_whole(size)) size += "M";  // as sbatch takes it
    std::string const binary = size.find_first_of("KMGT") + 1 == size.size() ? "iB" : "";
    return mend + "; or --memory " + size + binary + ", what blocks of one rank may take";
}

}  // namespace

std::string option_mend(std::string const& option, std::span<std::string const> known) {
    auto const has = [&](std::string_view name) { return std::ranges::find(known, name) != known.end(); };
    for (Synonym const& synonym : synonyms)
        if (option == synonym.written && has(synonym.ours.substr(0, synonym.ours.find(' '))))
            return did_you_mean(synonym.ours);
    std::vector<std::string> names;  // without dashes, which would make short ones alike
    std::string const word = option.substr(std::min(option.size(), option.find_first_not_of('-')));
    for (std::string const& name : known)
        if (name.starts_with("--")) names.push_back(name.substr(2));
    if (option == "--resume" && has("--checkpoint"))
        return "--checkpoint DIR goes on by itself from what is there; einplan --resume DIR plans it for other ranks";
    auto const elsewhere = std::ranges::find(in_graph, option, &InGraph::written);
    if (elsewhere != in_graph.end()) return std::string(elsewhere->mend);
    for (Owner const& owner : owners)
        if (option == owner.option)
            return "that is " + std::string(owner.program) + "'s: write it behind " + std::string(owner.program) +
                   ", also in a batch script";
    if (std::string const near = nearest_name(word, names);
        near.size() + 1 >= word.size() && near.size() <= word.size() + 1 && word.size() > 2)
        return did_you_mean("--" + near);
    for (std::string const& name : names)
        if (word.size() > 2 && (name.starts_with(word) || word.starts_with(name))) return did_you_mean("--" + name);
    if (word.size() < 3) return "";
    std::string const near = nearest_name(word, names);
    return near.empty() ? "" : did_you_mean("--" + near);
}

std::span<OptionOwner const> option_owners() { return owners; }

std::string command_mend(std::string const& word, std::span<std::string const> known) {
    for (std::string const& name : known)
        if (word.size() > 2 && (word.starts_with(name) || name.starts_with(word))) return did_you_mean(name);
    auto const other = std::ranges::find(commands, word, &Command::written);
    if (other != commands.end()) return other->ours ? did_you_mean(other->mend) : std::string(other->mend);
    return mend_name(word, known, "see --help");
}

std::string unexpected_words(CLI::App const& app, std::span<char const* const> all) {
    std::vector<std::string> left = app.remaining(true), words;
    std::string before;  // the first of them
    std::size_t first = all.size();
    for (std::size_t k = all.size(); k-- > 0;) {  // of a word that is there twice an option takes the first
        auto const found = std::ranges::find(left, all[k]);
        if (found == left.end()) continue;
        before = k > 0 ? all[k - 1] : "";
        first = k;
        words.insert(words.begin(), *found);
        left.erase(found);
    }
    words.insert(words.end(), left.begin(), left.end());  // written in another way
    std::string const said = "expected options that the program has, found " + joined(words, " ") + "; ";
    auto const begins = [&](auto const& names) {
        return std::ranges::any_of(
            words, [&](std::string const& word) { return std::ranges::find(names, name_in(word)) != names.end(); });
    };
    bool const makes = parsed(app).get_name() == "make";
    if (makes && begins(launcher)) return said + "a graph has sizes and no ranks: eintool make matmul 4 4 4";
    if (begins(sbatch)) return said + mend_of_sbatch(parsed(app), words);
    if (begins(launcher)) return ranks_behind_program(app, all);
    if (std::string const mend = mend_named_value(all, first); !mend.empty()) return said + mend;
    CLI::App const& command = parsed(app);
    std::vector<std::string> const known = options_of(command);
    for (std::string const& word : words) {
        if (!word.starts_with('-')) continue;
        std::string const mend = option_mend(name_in(word), known);
        return said + (mend.empty() ? "see --help" : mend);
    }
    if (words.empty()) return said + "see --help";
    if (std::string const mend = two_words(command, before, words.front()); !mend.empty()) return said + mend;
    return said + "one file at a time, and options begin with --; see --help";
}

std::string usage_message(CLI::App const& app, std::span<char const* const> words, CLI::ParseError const& error) {
    std::string const said = error.what();
    for (std::size_t k = 0; k < words.size(); ++k)
        if (std::string_view(words[k]) == "-np" && said.find("ranks") != std::string::npos)
            return "expected -n RANKS, found -np; write -n " + std::string(k + 1 < words.size() ? words[k + 1] : "4");
    constexpr std::string_view sizes = "SIZES: Value ";
    if (auto const at = said.find(sizes); at != std::string::npos) {
        std::string text = said.substr(at + sizes.size());
        text.resize(std::min(text.size(), text.find(' ')));
        std::string apart = text;
        std::ranges::replace(apart, 'x', ' ');
        bool const digits = text.find_first_of("0123456789") != std::string::npos;
        if (text.ends_with('b') && is_whole(text.substr(0, text.size() - 1)))
            return "SIZES: expected whole numbers, found '" + text + "'; write --size " + text;
        if (text.find_first_not_of("0123456789") == std::string::npos)
            return "SIZES: expected sizes of 1 or more, found '" + text + "'; write a larger one";
        std::ranges::replace(apart, ',', ' ');
        for (std::size_t k = 0; k + 1 < words.size(); ++k)
            if (std::string_view(words[k]) == "--out" && text == words[k + 1])
                return "expected sizes, found --out " + text + "; write -o " + text;
        if (digits && text.find_first_not_of("0123456789x,") == std::string::npos)
            return "expected sizes as words, found '" + text + "'; write " + apart;
    }
    CLI::App const& command = parsed(app);
    for (std::string const& mended :
         {missing_value(command, said), wrong_value(said), wrong_use(said), missing_word(command, said)})
        if (!mended.empty()) return mended;
    return said + "; see --help";
}

}  // namespace ein::apps
