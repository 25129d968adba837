// What every program says of itself, and how it reads its command line.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ein::apps {

/// "einplan 0.1.0"
std::string version(std::string const& program);

/// Parses; --help and --version are printed and give 0. @throws UsageError for a wrong command line
std::optional<int> parse(CLI::App& app, int argc, char const* const* argv);

/// What --memory, or another option, says, in bytes. @throws UsageError for what is no size above 0
std::int64_t memory_budget(std::string const& text, std::string const& option = "--memory");

/// Warnings of sizes without a unit that are so small that another unit may be meant, as --memory 8.
/// @param sizes  options and what is written behind them; empty: nothing is
std::vector<std::string> small_sizes(std::vector<std::pair<std::string, std::string>> const& sizes);

/// Accepts finite numbers from `least` on, or, where `open`, above it.
CLI::Validator number_from(double least, bool open = false);

/// What -o names: "-" is standard output.
std::filesystem::path output_path(std::filesystem::path const& written);
bool is_standard_output(std::filesystem::path const& path);

/// Writes a small text file, whole or not at all (see ReplacedFile). @throws RunError
void write_text(std::filesystem::path const& path, std::string const& text);

}  // namespace ein::apps
