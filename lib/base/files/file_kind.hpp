// What a file is, by its first bytes and, of JSON, by its keys: the one table for who was given another file than the
// one that was asked for. A graph given to einrun, a run report to eintool trace, a CSV called .npy, a web page in
// place of a download. What each reader takes itself it says by a FileUse; the mend says what the file that was found
// is for. Example: of report.json, where a trace is read: "report.json: expected a trace that einrun --trace wrote,
// found a run report; show it: eintool report report.json".
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/json_fwd.hpp"

namespace ein {

/// Files that one of our programs reads as such. Everything else, numbers of tensors too, is `other`.
enum class FileUse {
    graph,
    plan,
    schedule,
    cluster,
    report,
    trace,
    explanation,
    checkpoint,
    opt_einsum,
    cotengra,
    omeinsum,
    circuit,
    model,
    other
};

struct FileKind {
    FileUse use = FileUse::other;
    std::string looks;    // "a run report"
    std::string mend;     // what to do with it
    bool certain = true;  // a signature or keys that nothing else has; else what text looks like
    char between = 0;     // numbers as text: the sign between them
    bool words = false;   // text that may be words with spaces between them, as listed elements are
};

/// As many of the first bytes are enough.
inline constexpr std::size_t bytes_that_tell = 65536;

/// What begins so. @param text  the first bytes, at most bytes_that_tell  @param size  of the whole file
/// @param name  of the file, for the mend  @param wanted  what it is if its keys may be that
/// @return nothing for bytes that no table has
std::optional<FileKind> kind_of_bytes(std::string_view text, std::uint64_t size, std::filesystem::path const& name,
                                      FileUse wanted = FileUse::other);

/// The same of a file, or a folder that is known. Nothing for one that cannot be read.
std::optional<FileKind> kind_of_file(std::filesystem::path const& path, FileUse wanted = FileUse::other);

/// "a run report", "what looks like numbers as text": what a refusal says was found.
std::string found_text(FileKind const& kind);

/// What a JSON object with these keys is; `wanted` if it may be that.
std::optional<FileKind> kind_of_keys(std::function<bool(std::string_view)> const& has, FileUse wanted,
                                     std::filesystem::path const& name);

/// Reads a file of JSON as what it should be. @param expected  "a graph", for the refusal
/// @throws InputError as parse_json does, and for what is known to be another kind of file, with what that is for
Json parse_json_of(FileUse wanted, std::string const& expected, std::string_view text, std::string const& file);

/// The same of a file. @throws InputError too when it cannot be read
Json read_json_of(FileUse wanted, std::string const& expected, std::filesystem::path const& path);

/// Refuses a file that is known to be another kind than `wanted`; one that cannot be read is left to its reader.
/// @throws InputError
void refuse_other_kind(std::filesystem::path const& path, FileUse wanted, std::string const& expected);

}  // namespace ein
