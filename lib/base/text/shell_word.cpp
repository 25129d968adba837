#include "lib/base/text/shell_word.hpp"

#include <algorithm>

namespace ein {

bool is_plain_in_shell(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           std::string_view("._-+/,:@%").find(letter) != std::string_view::npos;
}

std::string shell_word(std::string const& text) {
    if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain_in_shell)) return text;
    std::string out = "'";
    for (char const letter : text) out += letter == '\'' ? "'\\''" : std::string(1, letter);
    return out + "'";
}

}  // namespace ein
