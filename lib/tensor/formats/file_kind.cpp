#include "lib/tensor/formats/file_kind.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "lib/base/error.hpp"

namespace ein::tensor {
namespace {

using namespace std::string_view_literals;

struct Magic {
    std::string_view begins;
    std::string_view looks;
    std::string_view mend;  // FILE and STEM stand for its names
};

constexpr std::array magics{
    Magic{"\x93NUMPY"sv, "a .npy file", R"(name it so: "data": {"npy": "FILE"})"},
    Magic{"PK\3\4"sv, "a zip archive, as .npz is",
          R"(name it so: "data": {"npz": "FILE", "entry": NAME}, or "scipy" for what scipy.sparse.save_npz wrote)"},
    Magic{"PK\5\6"sv, "an empty zip archive", "write it again, for example with numpy.savez"},
    Magic{"%%MatrixMarket"sv, "a Matrix Market file", R"(name it so: "data": {"mtx": "FILE"})"},
    Magic{"\x89HDF\r\n"sv, "an HDF5 file", R"(convert it: numpy.save("STEM.npy", h5py.File("FILE")[NAME][:]))"},
    Magic{"MATLAB 5.0 MAT-file"sv, "a MATLAB file",
          R"(convert it: numpy.save("STEM.npy", scipy.io.loadmat("FILE")[NAME]))"},
    Magic{"PAR1"sv, "a Parquet file", R"(convert it: numpy.save("STEM.npy", pandas.read_parquet("FILE").to_numpy()))"},
    Magic{"GGUF"sv, "a GGUF model", "give the model's .safetensors files"},
    Magic{"\x1f\x8b"sv, "packed by gzip", "unpack it: gunzip FILE"},
    Magic{"BZh"sv, "packed by bzip2", "unpack it: bunzip2 FILE"},
    Magic{"\xfd"
          "7zXZ"sv,
          "packed by xz", "unpack it: unxz FILE"},
    Magic{"\x28\xb5\x2f\xfd"sv, "packed by zstd", "unpack it: unzstd FILE"},
    Magic{"\x89PNG"sv, "an image", R"(convert it: numpy.save("STEM.npy", numpy.asarray(PIL.Image.open("FILE"))))"},
    Magic{"\xff\xd8\xff"sv, "an image", R"(convert it: numpy.save("STEM.npy", numpy.asarray(PIL.Image.open("FILE"))))"},
    Magic{"version https://git-lfs"sv, "a pointer of Git LFS, not the file itself", "get it: git lfs pull"},
};

/// Not certain: asked last.
constexpr std::array pickles{"\x80\2"sv, "\x80\3"sv, "\x80\4"sv, "\x80\5"sv};

std::string named(std::string_view mend, std::filesystem::path const& file) {
    std::string out(mend);
    for (auto const& [word, name] : {std::pair("FILE"sv, file.filename().string()), {"STEM"sv, file.stem().string()}})
        for (std::size_t at = out.find(word); at != std::string::npos; at = out.find(word, at + name.size()))
            out.replace(at, word.size(), name);
    return out;
}

FileKind kind(std::string_view looks, std::string_view mend, Storage const& storage) {
    return {std::string(looks), named(mend, storage.name())};
}

std::string beginning(Storage const& storage, std::size_t most) {
    std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(most, storage.size())), '\0');
    storage.read_at(0, std::as_writable_bytes(std::span(text)));
    return text;
}

Magic const* magic_of(std::string_view text) {
    auto const found = std::ranges::find_if(magics, [&](Magic const& magic) { return text.starts_with(magic.begins); });
    return found == magics.end() ? nullptr : &*found;
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
std::string_view without_cut_word(std::string_view text, Storage const& storage) {
    return text.size() == storage.size() ? text : text.substr(0, text.find_last_of(",;\t \n"));
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
std::optional<FileKind> table(std::string_view text, Storage const& storage) {
    std::string_view const first = first_line(text);
    std::string_view const second =
        first.size() < text.size() ? first_line(text.substr(text.find('\n') + 1)) : std::string_view();
    for (Separator const& by : separators) {
        bool const titled = !are_numbers(first, by.sign) && first.find(by.sign) != std::string_view::npos;
        std::string_view const row = titled ? second : first;
        if (row.empty() || !are_numbers(row, by.sign)) continue;
        if (row.find(by.sign) == std::string_view::npos && by.sign != ' ') continue;
        return FileKind{"numbers as text, " + std::string(by.words) + " (" + shown(first) + ")",
                        named(R"(convert it: numpy.save("STEM.npy", numpy.loadtxt("FILE")", storage.name()) +
                            std::string(by.argument) + (titled ? ", skiprows=1" : "") + "))",
                        by.argument.empty()};
    }
    return std::nullopt;
}

FileKind text_kind(std::string_view text, Storage const& storage) {
    std::string_view const trimmed = text.substr(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
    if (trimmed.starts_with('<'))
        return {"a page of HTML or XML (" + shown(first_line(trimmed)) + ")",
                "get the file again: it seems that a page came in its place"};
    if (auto found = table(text, storage)) return *found;
    if (trimmed.starts_with('{') || trimmed.starts_with('['))
        return kind("JSON",
                    R"(convert it: numpy.save("STEM.npy", numpy.array(json.load(open("FILE")))); )"
                    R"(small tensors may stand in the graph: "data": {"values": [...]})",
                    storage);
    return {"text (" + shown(first_line(text)) + ")", "write its numbers with numpy.save, or give another file", true};
}

[[noreturn]] void refuse(Storage const& storage, std::string expected, FileKind kind) {
    throw InputError(
        Fault{storage.name(), "", std::move(expected), "what looks like " + kind.looks, std::move(kind.mend)});
}

}  // namespace

std::optional<FileKind> file_kind(Storage const& storage) {
    if (storage.size() == 0) return FileKind{"an empty file", "write it again"};
    std::string const text = beginning(storage, 512);
    if (Magic const* const magic = magic_of(text)) return kind(magic->looks, magic->mend, storage);
    if (is_safetensors(text, storage.size()))
        return kind("a .safetensors file", R"(name it so: "data": {"safetensors": "FILE", "tensor": NAME})", storage);
    if (std::ranges::any_of(pickles, [&](std::string_view begins) { return text.starts_with(begins); }))
        return kind("a pickle of Python",
                    R"(convert it: numpy.save("STEM.npy", numpy.asarray(pickle.load(open("FILE", "rb")))))", storage);
    if (is_text(text)) return text_kind(without_cut_word(text, storage), storage);
    return std::nullopt;
}

void refuse_kind(Storage const& storage, std::string expected, std::string found, std::string fix) {
    if (auto kind = file_kind(storage)) refuse(storage, std::move(expected), std::move(*kind));
    throw InputError(Fault{storage.name(), "", std::move(expected), std::move(found), std::move(fix)});
}

void refuse_no_words(Storage const& storage, std::string const& expected) {
    if (storage.size() == 0) return;
    auto kind = file_kind(storage);
    if (kind && !kind->words) refuse(storage, expected, std::move(*kind));
}

}  // namespace ein::tensor
