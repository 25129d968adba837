// A text as one word of a command for a shell, quoted only where it must be. Example: shell_word("g.sched") is
// "g.sched", shell_word("my g.sched") "'my g.sched'".
#pragma once

#include <string>
#include <string_view>

namespace ein {

/// Whether a shell reads it as itself, wherever it stands.
bool is_plain_in_shell(char letter);
std::string shell_word(std::string const& text);

}  // namespace ein
