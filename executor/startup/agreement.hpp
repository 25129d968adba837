// Many ranks, one report: before the run begins every rank does the same step and they compare how it went. If it
// failed anywhere, all leave normally with one exit code, and rank 0 alone has something to say. Example:
// agree(transport, [&] { section = file.section(transport.rank()); }) throws on every rank when one rank's section is
// damaged.
#pragma once

#include <functional>
#include <string>

#include "executor/transport/transport.hpp"

namespace ein::executor {

/// All ranks leave together. The message is for rank 0; elsewhere it is empty.
class Disagreement : public Error {
public:
    using Error::Error;
};

/// Collective. Runs `step`; when it threw on any rank, throws on all of them the code of the first such rank, with each
/// distinct message once.
/// @throws Disagreement
void agree(Transport& transport, std::function<void()> const& step);

/// Collective. @throws Disagreement with `message(by_rank)` unless all ranks have the same text
void agree_on(Transport& transport, std::string const& mine, ExitCode code,
              std::function<std::string(std::vector<std::string> const& by_rank)> const& message);

}  // namespace ein::executor
