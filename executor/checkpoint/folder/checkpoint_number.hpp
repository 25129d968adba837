// How checkpoints are called: six digits. Example: number_text(4) is "000004", number_value("000004") is 4.
#pragma once

#include <algorithm>
#include <string>

namespace ein::executor {

inline constexpr int last_number = 999'999;

inline bool is_checkpoint_number(std::string const& name) {
    return name.size() == 6 && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

inline std::string number_text(int number) {
    std::string const digits = std::to_string(number);
    return std::string(6 - digits.size(), '0') + digits;
}

inline int number_value(std::string const& text) { return std::stoi(text); }

}  // namespace ein::executor
