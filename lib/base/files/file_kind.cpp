#include "lib/base/files/file_kind.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <set>
#include <system_error>

#include "lib/base/error.hpp"
#include "lib/base/files/file_tables.hpp"
#include "lib/base/json.hpp"

namespace ein {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;
using file_tables::Row;

/// Not certain: asked last.
constexpr std::array pickles{"\x80\2"sv, "\x80\3"sv, "\x80\4"sv, "\x80\5"sv};

/// As many as a launcher started; 4 without one.
std::string ranks_here() {
    for (char const* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
        if (char const* const ranks = std::getenv(name); ranks != nullptr && std::atoi(ranks) > 0) return ranks;
    return "4";
}

std::string named(std::string_view mend, fs::path const& file) {
    std::string const folder = file.has_parent_path() ? file.parent_path().string() : ".";
    std::string out(mend);
    bool const taken = file.extension() == ".sched";  // where the schedule would be written
    std::string const elsewhere = taken ? " -o " + file.stem().string() + ".planned.sched" : "";
    for (auto const& [word, name] : {std::pair("RANKS"sv, ranks_here()),
                                     {"OTHER_PLACE"sv, elsewhere},
                                     {"FILE"sv, file.filename().string()},
                                     {"STEM"sv, file.stem().string()},
                                     {"FOLDER"sv, folder}})
        for (std::size_t at = out.find(word); at != std::string::npos; at = out.find(word, at + name.size()))
            out.replace(at, word.size(), name);
    return out;
}

FileKind kind(Row const& row, fs::path const& name) { return {row.use, std::string(row.looks), named(row.mend, name)}; }

FileKind other(std::string_view looks, std::string_view mend, fs::path const& name) {
    return kind({FileUse::other, looks, mend}, name);
}

/// A length of 8 bytes that lies in the file, and the JSON that it promises.
bool is_safetensors(std::string_view text, std::uint64_t size) {
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < 8 && i < text.size(); ++i)
        length |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
    return text.size() > 8 && text[8] == '{' && length <= size - 8;
}

bool is_text(std::string_view text) {
    return std::ranges::all_of(text, [](char c) {
        auto const byte = static_cast<unsigned char>(c);
        return byte >= 0x80 ? true : byte >= 0x20 ? byte != 0x7f : c == '\n' || c == '\r' || c == '\t' || c == '\f';
    });
}

/// What was read ends within a word, unless the file ends there.
std::string_view without_cut_word(std::string_view text, std::uint64_t size) {
    return text.size() == size ? text : text.substr(0, text.find_last_of(",;\t \n"));
}

std::string_view first_line(std::string_view text) {
    text = text.substr(0, text.find('\n'));
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

bool is_number(std::string_view word) {
    while (!word.empty() && (word.front() == ' ' || word.front() == '+')) word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    double value = 0;
    auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size();
}

/// Whether the words of a line are numbers: what is between the signs.
bool are_numbers(std::string_view line, char sign) {
    while (true) {
        std::size_t const end = line.find(sign);
        std::string_view const word = line.substr(0, end);
        bool const between = sign == ' ' && word.empty();  // of several spaces
        if (!between && !is_number(word)) return false;
        if (end == std::string_view::npos) return true;
        line.remove_prefix(end + 1);
    }
}

struct Separator {
    char sign;
    std::string_view words, argument;
};
constexpr std::array separators{Separator{',', "with commas", R"(, delimiter=",")"},
                                Separator{';', "with semicolons", R"(, delimiter=";")"},
                                Separator{'\t', "with tabs", ""}, Separator{' ', "with spaces", ""}};

/// The line as messages show it.
std::string shown(std::string_view line) {
    constexpr std::size_t most = 30;
    return "\"" + std::string(line.substr(0, most)) + (line.size() > most ? "...\"" : "\"");
}

/// Rows of numbers, with a line of names above them or without.
std::optional<FileKind> table(std::string_view text, fs::path const& name) {
    std::string_view const first = first_line(text);
    std::string_view const second =
        first.size() < text.size() ? first_line(text.substr(text.find('\n') + 1)) : std::string_view();
    for (Separator const& by : separators) {
        bool const titled = !are_numbers(first, by.sign) && first.find(by.sign) != std::string_view::npos;
        std::string_view const row = titled ? second : first;
        if (row.empty() || !are_numbers(row, by.sign)) continue;
        if (row.find(by.sign) == std::string_view::npos && by.sign != ' ') continue;
        return FileKind{FileUse::other,
                        "numbers as text, " + std::string(by.words) + " (" + shown(first) + ")",
                        named(R"(convert it: numpy.save("STEM.npy", numpy.loadtxt("FILE")", name) +
                            std::string(by.argument) + (titled ? ", skiprows=1" : "") + "))",
                        true,
                        by.sign,
                        by.argument.empty()};
    }
    return std::nullopt;
}

/// Where the text of a string ends: at its closing quote, or behind all.
std::size_t end_of_string(std::string_view text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
    return at;
}

/// The keys of the outermost object, as far as the text goes: it may be cut short, and need not be sound.
std::set<std::string, std::less<>> outer_keys(std::string_view text) {
    std::set<std::string, std::less<>> keys;
    std::string last;
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        char const c = text[at];
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        if (c == ':' && depth == 1) keys.insert(last);
        if (c != '"') continue;
        std::size_t const end = std::min(end_of_string(text, at), text.size());
        if (depth == 1) last = text.substr(at + 1, end - at - 1);
        at = end;
    }
    return keys;
}

/// Programs begin with lines that nothing else has.
bool is_python(std::string_view text) {
    std::string_view const line = first_line(text);
    return (line.starts_with("import ") || line.starts_with("from ") || line.starts_with("def ")) &&
           line.find('{') == std::string_view::npos;
}

/// Up to so many lines of a text, without comments and empty ones.
std::vector<std::string_view> lines_of(std::string_view text) {
    constexpr std::size_t most = 20;
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at < text.size() && lines.size() < most;
         at = text.find('\n', at), at += at < text.size()) {
        std::string_view const line = first_line(text.substr(at));
        if (line.find_first_not_of(" \t") != std::string_view::npos && !line.starts_with('#')) lines.push_back(line);
    }
    return lines;
}

bool is_word(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
    });
}

/// "key: value" or "- item" on every line that is not indented.
bool is_yaml(std::vector<std::string_view> const& lines) {
    bool keys = false;
    for (std::string_view const line : lines) {
        if (line == "---" || line.starts_with(' ') || line.starts_with("- ")) continue;
        std::size_t const colon = line.find(':');
        if (colon == std::string_view::npos || !is_word(line.substr(0, colon))) return false;
        if (colon + 1 < line.size() && line[colon + 1] != ' ') return false;
        keys = true;
    }
    return keys;
}

/// "node01 slots=4" or "node01:4" on each line, one of them with its number at least.
bool is_host_list(std::vector<std::string_view> const& lines) {
    bool numbered = false;
    for (std::string_view const line : lines) {
        std::size_t const end = std::min(line.find_first_of(" :"), line.size());
        std::string_view const rest = line.substr(end);
        if (!is_word(line.substr(0, end)) || is_number(line.substr(0, end))) return false;
        bool const slots = rest.find("slots=") != std::string_view::npos;
        bool const count = rest.size() > 1 && rest[1] != ' ' && rest[0] == ':' && is_number(rest.substr(1));
        if (!rest.empty() && !slots && !count) return false;
        numbered = numbered || slots || count;
    }
    return numbered;
}

FileKind text_kind(std::string_view text, fs::path const& name, FileUse wanted) {
    std::string_view const trimmed = text.substr(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
    if (trimmed.starts_with('<'))
        return {FileUse::other, "a page of HTML or XML (" + shown(first_line(trimmed)) + ")",
                "get the file again: it seems that a page came in its place"};
    if (auto found = table(text, name)) return *found;
    if (is_python(trimmed))
        return other("a program of Python", "run it: python3 FILE; einloom's save writes a graph", name);
    if (trimmed.starts_with('{') || trimmed.starts_with('[')) {
        auto const keys = trimmed.starts_with('{') ? outer_keys(trimmed) : std::set<std::string, std::less<>>{};
        auto const has = [&](std::string_view key) { return keys.contains(key); };
        if (auto known = kind_of_keys(has, wanted, name)) return *known;
        FileKind json = other("JSON",
                              R"(convert it: numpy.save("STEM.npy", numpy.array(json.load(open("FILE")))); )"
                              R"(small tensors may stand in the graph: "data": {"values": [...]})",
                              name);
        json.certain = false;
        return json;
    }
    std::vector<std::string_view> const lines = lines_of(text);
    if (is_host_list(lines))
        return other("a list of hosts", "give it to the launcher: mpirun --hostfile FILE; what is wanted here is JSON",
                     name);
    if (is_yaml(lines)) {
        FileKind yaml = other("YAML",
                              R"(write it as JSON: python3 -c 'import json, yaml; )"
                              R"(print(json.dumps(yaml.safe_load(open("FILE"))))' > STEM.json)",
                              name);
        yaml.words = true;
        return yaml;
    }
    return {FileUse::other,
            "text (" + shown(first_line(text)) + ")",
            "write its numbers with numpy.save, or give another file",
            false,
            0,
            true};
}

std::optional<FileKind> kind_of_folder(fs::path const& path) {
    auto const holds = [&](char const* name) {
        std::error_code error;
        return fs::exists(path / name, error);
    };
    if (holds("manifest.json")) return FileKind{kind(file_tables::checkpoint, path / "manifest.json")};
    if (holds("config.json"))
        return FileKind{FileUse::model, "the folder of a model",
                        "import it: eintool import safetensors-llama " + path.string() + " -o GRAPH.json"};
    std::error_code error;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
        if (fs::exists(at->path() / "manifest.json", error))
            return FileKind{kind(file_tables::checkpoint, path / "manifest.json")};
    return FileKind{FileUse::other, "a folder", "name a file in it", false};
}

[[noreturn]] void refuse(std::string const& file, std::string const& expected, FileKind const& kind) {
    throw InputError(Fault{file, "", expected, found_text(kind), kind.mend});
}

}  // namespace

std::string found_text(FileKind const& kind) {
    return (kind.use == FileUse::other ? "what looks like " : "") + kind.looks;
}

std::optional<FileKind> kind_of_keys(std::function<bool(std::string_view)> const& has, FileUse wanted,
                                     fs::path const& name) {
    std::optional<FileKind> found;
    for (file_tables::Keyed const& row : file_tables::keyed) {
        bool const all = std::ranges::all_of(row.keys, [&](auto key) { return key.empty() || has(key); });
        if (!all || (found && row.row.use != wanted)) continue;
        found = kind(row.row, name);
        if (row.row.use == wanted) break;
    }
    return found;
}

std::optional<FileKind> kind_of_bytes(std::string_view text, std::uint64_t size, fs::path const& name, FileUse wanted) {
    if (size == 0) return other("an empty file", "write it again", name);
    if (text.starts_with("PK\3\4") && text.substr(0, 512).find("/data.pkl") != std::string_view::npos)
        return other("a file of PyTorch",
                     R"(convert it: safetensors.torch.save_file(torch.load("FILE"), "STEM.safetensors") of a dict )"
                     R"(of tensors, numpy.save("STEM.npy", torch.load("FILE").numpy()) of one)",
                     name);
    for (file_tables::Magic const& magic : file_tables::magics)
        if (text.starts_with(magic.begins)) return kind(magic.row, name);
    if (is_safetensors(text, size))
        return other("a .safetensors file", R"(name it in a graph: "data": {"safetensors": "FILE", "tensor": NAME})",
                     name);
    if (std::ranges::any_of(pickles, [&](std::string_view begins) { return text.starts_with(begins); }))
        return other("a pickle of Python",
                     R"(convert it: numpy.save("STEM.npy", numpy.asarray(pickle.load(open("FILE", "rb")))))", name);
    if (name.extension() == ".onnx" && text.starts_with('\x08'))
        return FileKind{FileUse::model, "a model of ONNX",
                        "this version imports no ONNX: write its operators as nodes, its weights as .safetensors"};
    if (is_text(text)) return text_kind(without_cut_word(text, size), name, wanted);
    return std::nullopt;
}

std::optional<FileKind> kind_of_file(fs::path const& path, FileUse wanted) {
    std::error_code error;
    if (fs::is_directory(path, error)) return kind_of_folder(path);
    if (!fs::is_regular_file(path, error)) return std::nullopt;
    std::string text(bytes_that_tell, '\0');
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    return kind_of_bytes(text, fs::file_size(path, error), path, wanted);
}

namespace {

/// A document whose keys are not those of another kind.
Json of_kind(Json document, FileUse wanted, std::string const& expected, std::string const& file) {
    auto const has = [&](std::string_view key) { return document.contains(key); };
    auto const found = document.is_object() ? kind_of_keys(has, wanted, file) : std::nullopt;
    if (found && found->use != wanted) refuse(file, expected, *found);
    return document;
}

}  // namespace

Json parse_json_of(FileUse wanted, std::string const& expected, std::string_view text, std::string const& file) {
    auto const begins = text.find_first_not_of(" \t\r\n");
    bool const object = begins != std::string_view::npos && text[begins] == '{';
    if (!object) {
        auto const found = kind_of_bytes(text.substr(0, bytes_that_tell), text.size(), file, wanted);
        if (found && found->certain && found->use != wanted) refuse(file, expected, *found);
    }
    return of_kind(parse_json(text, file), wanted, expected, file);
}

Json read_json_of(FileUse wanted, std::string const& expected, fs::path const& path) {
    refuse_other_kind(path, wanted, expected);
    return of_kind(parse_json(read_text_file(path), path.string()), wanted, expected, path.string());
}

void refuse_other_kind(fs::path const& path, FileUse wanted, std::string const& expected) {
    auto const found = kind_of_file(path, wanted);
    if (found && found->certain && found->use != wanted) refuse(path.string(), expected, *found);
}

}  // namespace ein
