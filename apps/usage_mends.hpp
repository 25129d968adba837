// What to write in place of words on a command line that a program does not take: near options, those that people bring
// along from other programs, options that belong to another of the three, values that are missing or in two words.
// Example: of "einrun s.sched -o DIR": "expected options that the program has, found -o DIR; did you mean --out?".
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

namespace ein::apps {

/// What a parser's error says, with the mend where there is one.
std::string usage_message(CLI::App const& app, std::span<char const* const> words, CLI::ParseError const& error);

/// Of words that no option took. @param words  all of the command line, without the program
std::string unexpected_words(CLI::App const& app, std::span<char const* const> words);

/// "did you mean --out?", or whose option it is. @param known  those of the program, as "--out"  @return empty for none
std::string option_mend(std::string const& option, std::span<std::string const> known);

/// Whose an option is, where it is one of another program; for tests, which ask the programs.
struct OptionOwner {
    std::string_view option, program;
};
std::span<OptionOwner const> option_owners();

/// The same for the first word of a program with commands.
std::string command_mend(std::string const& word, std::span<std::string const> commands);

}  // namespace ein::apps
