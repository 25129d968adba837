#include "executor/engine/run_state.hpp"

#include <new>

#include "executor/transport/transport.hpp"

namespace ein::executor {

namespace {

struct Told {
    ExitCode code = ExitCode::failure;
    std::string message;
};

Told told(std::exception_ptr const& error, std::string const& place) {
    std::string const prefix = place.empty() ? "" : place + ": ";
    try {
        std::rethrow_exception(error);
    } catch (Error const& known) {
        return {known.code(), prefix + known.what()};
    } catch (std::bad_alloc const&) {
        return {ExitCode::no_memory,
                prefix + "memory ran out; use more ranks, fewer threads, or smaller blocks (einplan --parts)"};
    } catch (std::exception const& other) {
        return {ExitCode::failure, prefix + other.what()};
    } catch (...) {
        return {ExitCode::failure, prefix + "an exception of unknown type"};
    }
}

bool comes_from_another_rank(std::exception_ptr const& error) {
    try {
        std::rethrow_exception(error);
    } catch (RunAborted const&) {
        return true;
    } catch (...) {
        return false;
    }
}

}  // namespace

void RunState::fail(std::exception_ptr error, std::string const& place) {
    Told const what = told(error, place);
    {
        std::lock_guard lock(mutex);
        if (failure) return;
        failure = comes_from_another_rank(error) ? error : std::make_exception_ptr(Error(what.code, what.message));
    }
    close();
    if (comes_from_another_rank(error)) return;
    try {
        on_failure(what.code, what.message);
    } catch (RunAborted const&) {  // told; this rank's threads leave as those of the others do
    }
}

void RunState::close() {
    std::lock_guard lock(mutex);
    closed = true;
    events.fetch_add(1, std::memory_order_release);
    work.notify_all();
    attention.notify_all();
}

}  // namespace ein::executor
