#include "apps/eintool/checkpoint_screen.hpp"

#include <algorithm>

#include "executor/checkpoint/folder/checkpoint_folder.hpp"
#include "executor/checkpoint/folder/checkpoint_number.hpp"
#include "executor/checkpoint/folder/finished_run.hpp"
#include "lib/base/error.hpp"
#include "lib/base/text/counted.hpp"
#include "lib/base/text/quantities.hpp"
#include "lib/base/text/screen_text.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein::apps::tool {

namespace fs = std::filesystem;
using executor::FoundCheckpoint;
using executor::Manifest;
using executor::SavedValue;

namespace {

constexpr std::size_t most_values = 20, most_others = 10, most_inputs = 3;

std::string line(char const* label, std::string const& text) {
    return row("%-12s  %s\n", label, printable(text).c_str());
}

std::string bytes_text(std::uint64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

std::string numbers_text(std::vector<std::int64_t> const& numbers) {
    std::vector<std::string> words;
    for (std::int64_t const number : numbers) words.push_back(std::to_string(number));
    return joined(words, ", ");
}

/// Those that are read from copies, or the others, on a line.
std::string inputs_text(Manifest const& manifest, bool copied) {
    std::string out;
    std::size_t count = 0;
    for (executor::NamedInput const& input : manifest.inputs) {
        if (input.copy.empty() == copied || ++count > most_inputs) continue;
        std::string const& from = copied ? input.copy : input.source;
        out += (count == 1 ? "" : "; ") + input.tensor + (from.empty() ? "" : " (" + from + ")");
    }
    if (count == 0) return "";
    if (count > most_inputs) out += "; and " + std::to_string(count - most_inputs) + " more";
    return line("inputs", cut(printable((copied ? "copied: " : "not copied: ") + out), 86));
}

std::string copies_text(Manifest const& manifest) {
    if (manifest.copies.empty()) return "";
    std::uint64_t bytes = 0;
    std::vector<std::string> names;
    for (executor::SavedCopy const& copy : manifest.copies) {
        bytes += copy.bytes;
        if (names.size() < most_inputs) names.push_back(copy.file);
    }
    std::size_t const count = manifest.copies.size();
    std::string out =
        std::to_string(count) + (count == 1 ? " file, " : " files, ") + bytes_text(bytes) + ": " + joined(names, ", ");
    if (names.size() < count) out += ", and " + std::to_string(count - names.size()) + " more";
    return line("copies", cut(printable(out), 86));
}

std::string loops_text(Manifest const& manifest) {
    if (manifest.begun.empty()) return "";
    return line("loops",
                (manifest.iterations.empty() ? "in none" : "in iteration " + numbers_text(manifest.iterations)) +
                    "; begun so far: " + numbers_text(manifest.begun));
}

std::string listed_text(SavedValue const& value) {
    if (!value.is_sparse()) return "";
    return "  sparse, " + format_count(static_cast<double>(value.listed())) + " listed";
}

/// The largest values, a row each.
std::string values_text(Manifest const& manifest) {
    std::vector<SavedValue const*> values;
    std::uint64_t bytes = manifest.rest ? manifest.rest->bytes : 0;
    for (SavedValue const& value : manifest.values) {
        values.push_back(&value);
        bytes += saved_bytes(value);
    }
    std::ranges::stable_sort(values, [](auto* a, auto* b) { return saved_bytes(*a) > saved_bytes(*b); });
    std::string out = line("values", std::to_string(values.size()) + ", " + bytes_text(bytes) +
                                         (manifest.rest ? " with rest.json, the graph of what is left" : ""));
    for (std::size_t i = 0; i < std::min(most_values, values.size()); ++i)
        out += row("  %-32s  %-5s %-24s %10s%s\n", cut(printable(values[i]->name), 32).c_str(),
                   std::string(name(values[i]->dtype)).c_str(), cut(to_string(values[i]->shape), 24).c_str(),
                   bytes_text(saved_bytes(*values[i])).c_str(), listed_text(*values[i]).c_str());
    if (values.size() > most_values) out += row("  and %zu more; --json shows all\n", values.size() - most_values);
    return out;
}

std::string computed_text(Manifest const& manifest) {
    std::string const ranks = counted(manifest.ranks, "rank");
    if (manifest.is_of_beginning()) return line("computed", "nothing yet, on " + ranks + ": the copies of inputs");
    return line("computed", format_seconds(manifest.seconds) + " on " + ranks + " (" + manifest.device +
                                "): " + counted(manifest.nodes, "node") + ", " + counted(manifest.tasks_done, "task"));
}

std::string contents_text(Manifest const& manifest) {
    std::string out = line("saved", manifest.time + " by Einloom " + manifest.version);
    out += line("of", "schedule " + manifest.schedule_hash + ", graph " + manifest.graph_hash);
    out += computed_text(manifest);
    out += loops_text(manifest);
    std::vector<std::string> const bases(manifest.bases.begin(), manifest.bases.end());
    if (!bases.empty()) out += line("goes on from", joined(bases, ", ") + ", whose files it still needs");
    return out + inputs_text(manifest, true) + inputs_text(manifest, false) + copies_text(manifest) +
           values_text(manifest);
}

FoundCheckpoint opened(fs::path const& path, Check check) {
    FoundCheckpoint found = executor::open_checkpoint(path.parent_path(), path.filename().string());
    if (check == Check::every_byte) verify_files(found, 0, 1);
    return found;
}

/// Without a '/' at its end, and with a name: what "." is called.
fs::path without_end(fs::path const& given) {
    fs::path path = given.filename().empty() ? given.parent_path() : given;
    if (path.filename() == "." || path.filename() == "..") path = fs::weakly_canonical(path);
    return path;
}

/// The checkpoint that is named, or the newest of the folder.
fs::path checkpoint_path(fs::path const& given) {
    fs::path const path = without_end(given);
    if (executor::is_checkpoint_number(path.filename().string())) return path;
    std::vector<std::string> const numbers = executor::checkpoint_numbers(path);
    if (numbers.empty())
        throw InputError(Fault{path.string(), "", "a checkpoint, or a folder of checkpoints", "a folder without any",
                               "name what --checkpoint named, or a checkpoint in it"});
    return path / numbers.back();
}

/// A checkpoint with its contents.
void add_checkpoint(fs::path const& path, Check check, CheckpointScreen& out) {
    try {
        FoundCheckpoint const found = opened(path, check);
        require_bases(found);
        out.text += line("checkpoint", path.string() + ": complete" +
                                           (check == Check::sizes ? " (by sizes; --check reads every byte)" : ""));
        out.text += contents_text(found.manifest);
    } catch (InputError const& error) {
        out.text += line("checkpoint", path.string() + ": damaged") + printable(error.what()) + "\n";
        out.whole = false;
    }
}

std::string finished_text(executor::FinishedRun const& run) {
    return line("finished", run.time + ": " + std::to_string(run.results.size()) +
                                (run.results.size() == 1 ? " result" : " results") + " in " + run.folder);
}

/// A run may be finished before it has saved any.
std::optional<CheckpointScreen> without_checkpoint(fs::path const& given) {
    fs::path const path = without_end(given);
    auto const finished = executor::finished_run(path);
    if (!finished || !executor::checkpoint_numbers(path).empty()) return std::nullopt;
    CheckpointScreen out;
    out.text = line("checkpoint", path.string() + ": none was saved") + finished_text(*finished);
    return out;
}

/// One of those that are not shown whole.
void add_other(fs::path const& path, Check check, CheckpointScreen& out) {
    try {
        Manifest const manifest = opened(path, check).manifest;
        out.text += line("older", path.filename().string() + ": complete, " + manifest.time);
    } catch (InputError const& error) {
        out.text += line("older", path.filename().string() + ": damaged: " + error.faults().front().text());
        out.whole = false;
    }
}

}  // namespace

bool is_checkpoint_folder(fs::path const& path) {
    std::error_code error;
    return fs::is_directory(path, error);
}

CheckpointScreen checkpoint_screen(fs::path const& given, Check check) {
    if (auto const screen = without_checkpoint(given)) return *screen;
    fs::path const path = checkpoint_path(given);
    CheckpointScreen out;
    add_checkpoint(path, check, out);
    if (path == without_end(given)) return out;
    if (auto const finished = executor::finished_run(path.parent_path())) out.text += finished_text(*finished);
    std::vector<std::string> numbers = executor::checkpoint_numbers(path.parent_path());
    numbers.pop_back();
    std::size_t const shown = std::min(most_others, numbers.size());
    for (std::size_t i = 0; i < shown; ++i) add_other(path.parent_path() / numbers[numbers.size() - 1 - i], check, out);
    if (shown < numbers.size()) out.text += row("  and %zu older ones\n", numbers.size() - shown);
    return out;
}

std::string checkpoint_json(fs::path const& given) {
    return executor::to_text(opened(checkpoint_path(given), Check::sizes).manifest);
}

}  // namespace ein::apps::tool
