#include "apps/eintool/run/ends.hpp"

#include <csignal>
#include <cstring>

#include "lib/base/error.hpp"

namespace ein::apps::tool {

Verdict verdict_of(int code) {
    if (code == static_cast<int>(ExitCode::done)) return Verdict::done;
    if (code == static_cast<int>(ExitCode::stopped)) return Verdict::stopped;
    if (code >= static_cast<int>(ExitCode::usage) && code <= static_cast<int>(ExitCode::mismatch))
        return Verdict::refused;
    return Verdict::failed;
}

std::string code_text(int code) {
    std::string out = "code " + std::to_string(code);
    int const signal = code - code_by(0);
    if (signal > 0 && signal <= SIGSYS) out += " (signal " + std::to_string(signal) + ", " + strsignal(signal) + ")";
    return out;
}

}  // namespace ein::apps::tool
