// Threads that a kernel may use besides its own: idle workers of the engine. One pool of threads serves many small
// tasks (one each) and few big ones (together), so nothing is ever oversubscribed.
#pragma once

#include <cstdint>
#include <functional>

namespace ein::executor {

class WorkerTeam {
public:
    virtual ~WorkerTeam() = default;
    /// Threads that might help, the caller included (>= 1): how many pieces are worth making.
    virtual int width() const = 0;
    /// Calls piece(0) ... piece(pieces - 1), each once, on this thread and any idle ones; returns when all are done.
    /// The first exception of a piece is thrown again here. Results must not depend on which thread runs a piece.
    virtual void run(std::int64_t pieces, std::function<void(std::int64_t)> const& piece) = 0;
    /// Kernels that take longer than a millisecond call it between their steps, from any thread of the team: the engine
    /// moves messages along.
    virtual void pause() {}
};

/// The caller alone.
class SoloWorkerTeam final : public WorkerTeam {
public:
    int width() const override { return 1; }
    void run(std::int64_t pieces, std::function<void(std::int64_t)> const& piece) override {
        for (std::int64_t i = 0; i < pieces; ++i) piece(i);
    }
};

}  // namespace ein::executor
