#include "executor/health/crash_handler.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <thread>

#include "executor/health/tuning.hpp"
#include "lib/base/terminate.hpp"
#include "lib/base/threads/mutex.hpp"

namespace ein::executor {

namespace {

constexpr std::array signals = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::array crashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr unsigned char by_request = 0, by_terminate = 254, end_of_thread = 255;

// What a handler uses: plain numbers, set before it is installed.
int asking[2] = {-1, -1}, answering[2] = {-1, -1};  // pipes: what is asked of the thread, and that it has been done
std::atomic<pthread_t> speaker;
pthread_t listener;  // who made the speaker
std::atomic<bool> asked{false}, speaking{false};
std::array<struct sigaction, signals.size()> before;
std::atomic<char const*> hint{nullptr};

int milliseconds_now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<int>(now.tv_sec % 1000000 * 1000 + now.tv_nsec / 1000000);
}

void put(int pipe, unsigned char byte) {
    while (::write(pipe, &byte, 1) < 0 && errno == EINTR) {
    }
}

/// Asks the thread and waits. The answer stays in its pipe: everybody who waits sees it.
void ask(unsigned char what) {
    asked = true;
    put(asking[1], what);
    pollfd answered{answering[0], POLLIN, 0};
    for (int const begin = milliseconds_now(); milliseconds_now() - begin < tuning::time_for_last_words;)
        if (poll(&answered, 1, tuning::between_looks_at_answer) > 0) return;
}

void on_signal(int signal) {
    int const error = errno;
    if (pthread_equal(pthread_self(), speaker.load()) != 0) {
        if (!speaking) {  // a signal to the process, which came to this thread by chance
            pthread_kill(listener, signal);
            return;
        }
        put(answering[1], 0);  // it crashed: whoever waits goes on, with its own signal
        while (true) pause();
    }
    ask(static_cast<unsigned char>(signal));
    for (std::size_t i = 0; i < signals.size(); ++i)
        if (signals[i] == signal) sigaction(signal, &before[i], nullptr);
    raise(signal);  // takes effect when this handler returns
    errno = error;
}

void install() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < signals.size(); ++i) {
        sigaction(signals[i], nullptr, &before[i]);
        if (before[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, nullptr);  // as under nohup
    }
}

Ending ending_by(unsigned char signal) {
    if (signal == by_terminate) return {"an exception that nothing caught", SIGABRT};
    char const* const name = strsignal(signal);  // NOLINT(concurrency-mt-unsafe): only of unknown signals, never ours
    Ending ending{"signal " + std::to_string(signal) + " (" + name + ")", signal};
    char const* const known = hint;
    if (known != nullptr && ending.is_crash()) ending.why += known;
    return ending;
}

}  // namespace

CrashHint::CrashHint(char const* text) { hint = text; }
CrashHint::~CrashHint() { hint = nullptr; }

bool Ending::is_crash() const { return std::find(crashes.begin(), crashes.end(), signal) != crashes.end(); }

struct CrashHandler::State {
    std::function<void(Ending const&)> say;
    Mutex mutex;
    std::string error EIN_GUARDED_BY(mutex);  // for by_request
    std::atomic<bool> ended{false};
    std::thread thread;

    void serve() {
        unsigned char what = end_of_thread;
        while (::read(asking[0], &what, 1) < 0 && errno == EINTR) {
        }
        if (what != end_of_thread) {
            speaking = true;
            try {
                say(what == by_request ? ending_by_error() : ending_by(what));
            } catch (...) {  // what ended the run is reported elsewhere
            }
            put(answering[1], 0);
        }
        ended = true;
    }

    Ending ending_by_error() {
        MutexLock const lock(mutex);
        return {error, 0};
    }
};

CrashHandler::CrashHandler(std::function<void(Ending const&)> say) : state_(std::make_shared<State>()) {
    state_->say = std::move(say);
    if (pipe2(asking, O_CLOEXEC) != 0) return;
    if (pipe2(answering, O_CLOEXEC) != 0) return;
    try {
        state_->thread = std::thread([state = state_] { state->serve(); });
    } catch (std::system_error const&) {
        return;
    }
    speaker = state_->thread.native_handle();
    listener = pthread_self();
    asked = speaking = false;
    install();
    set_terminate_record([] { ask(by_terminate); });
}

CrashHandler::~CrashHandler() {
    if (!state_->thread.joinable()) return;
    set_terminate_record(nullptr);
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before[i], nullptr);
    if (asked && !state_->ended) {  // it crashed, or takes too long
        state_->thread.detach();
        return;
    }
    put(asking[1], end_of_thread);
    state_->thread.join();
    for (int* pipe : {asking, answering})
        for (int end : {0, 1}) close(pipe[end]), pipe[end] = -1;
}

void CrashHandler::say(std::string const& error) {
    if (!state_->thread.joinable()) return;
    {
        MutexLock const lock(state_->mutex);
        if (!state_->error.empty()) return;
        state_->error = error.empty() ? "unknown" : error;
    }
    ask(by_request);
}

}  // namespace ein::executor
