#include "lib/base/error.hpp"

#include <algorithm>

namespace ein {

std::string Fault::text() const {
    std::string out;
    auto part = [&](std::string_view separator, std::string_view text) {
        if (text.empty()) return;
        if (!out.empty()) out += separator;
        out += text;
    };
    part("", file);
    part(": ", where);
    if (!expected.empty()) part(": ", "expected " + expected);
    if (!found.empty()) part(expected.empty() ? ": " : ", ", "found " + found);
    part("; ", fix);
    return printable(out);
}

namespace {

/// Bytes of the UTF-8 character at the beginning of `text`; 0 when there is none.
std::size_t utf8_length(std::string_view text) {
    auto const byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    std::size_t const length = byte(0) < 0x80 ? 1 : byte(0) < 0xc2 ? 0 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
    if (length > text.size() || byte(0) > 0xf4) return 0;
    for (std::size_t k = 1; k < length; ++k)
        if ((byte(k) & 0xc0) != 0x80) return 0;
    unsigned const first = length < 3 ? 0 : byte(0) << 8 | byte(1);
    bool const beyond = (first >= 0xe000 && first < 0xe0a0) || (first >= 0xeda0 && first < 0xee00) ||
                        (first >= 0xf000 && first < 0xf090) || first >= 0xf490;  // overlong, surrogates, above U+10FFFF
    return beyond ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out;
    while (!text.empty()) {
        std::size_t const length = utf8_length(text);
        auto const byte = static_cast<unsigned char>(text.front());
        bool const control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
        if (length > 0 && !control)
            out += text.substr(0, length);
        else
            (out += "\\x") += {hex[byte >> 4], hex[byte & 15]};
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

namespace {
std::string all_texts(std::vector<Fault> const& faults) {
    std::string out;
    for (Fault const& fault : faults) out += (out.empty() ? "" : "\n") + fault.text();
    return out;
}
}  // namespace

InputError::InputError(std::vector<Fault> faults)
    : Error(ExitCode::bad_input, all_texts(faults)), faults_(std::move(faults)) {}

void Faults::add(std::string where, std::string expected, std::string found, std::string fix) {
    faults_.push_back({file_, std::move(where), std::move(expected), std::move(found), std::move(fix)});
}

void Faults::throw_if_any() const {
    if (!faults_.empty()) throw InputError(faults_);
}

std::string one_of(std::span<std::string const> names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
        out += names[i];
    }
    return out;
}

std::string joined(std::span<std::string const> words, std::string_view between) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) out += between;
        out += words[i];
    }
    return out;
}

}  // namespace ein
