// What the exit code of a launched job means for who launched it.
// Example: verdict_of(137) is Verdict::failed (a rank was killed: try again); verdict_of(3) is Verdict::refused.
#pragma once

#include <string>

namespace ein::apps::tool {

enum class Verdict {
    done,
    refused,  // command line, input, memory, verification: the same again would end the same
    stopped,  // with a checkpoint, as it was asked to: for whoever asked
    failed    // a killed rank, a lost host, a stall, I/O: another try may get further
};

Verdict verdict_of(int code);

/// Of a process that a signal ended, as shells say it.
constexpr int code_by(int signal) { return 128 + signal; }

/// "code 1", "code 137 (signal 9, Killed)".
std::string code_text(int code);

}  // namespace ein::apps::tool
