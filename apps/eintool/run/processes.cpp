#include "apps/eintool/run/processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "apps/eintool/run/ends.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/written_file.hpp"

namespace ein::apps::tool {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::array taken{SIGUSR1, SIGTERM, SIGINT, SIGHUP, SIGCHLD};
constexpr auto look_again = 200ms;  // where nothing tells that something happened
constexpr auto ends_by_itself = 1500ms, ends_when_asked = 3000ms;

struct Pipe {
    int read = -1, write = -1;
    Pipe() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) throw RunError(std::string("pipe: ") + std::strerror(errno));
        read = ends[0], write = ends[1];
    }
};

[[noreturn]] void become(Program const& command, pid_t parent, int input, int errors) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // to end in order: a launcher that is killed leaves shared memory behind
    if (getppid() != parent) _exit(1);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int const signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);  // eintool ignores them
    dup2(input >= 0 ? input : open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    WrittenFile nowhere;
    if (command.quiet && nowhere.open_stream("/dev/null") == 0)
        dup2(nowhere.descriptor(), STDOUT_FILENO), dup2(nowhere.descriptor(), STDERR_FILENO);
    if (errors >= 0) dup2(errors, STDERR_FILENO);
    for (auto const& [name, value] : command.variables) setenv(name.c_str(), value.c_str(), 0);
    std::vector<char*> words;
    for (std::string const& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    std::fprintf(stderr, "eintool: %s: %s\n", words[0], std::strerror(errno));
    _exit(127);
}

void give(int descriptor, std::string const& text) {
    for (std::size_t done = 0; done < text.size();) {
        ssize_t const count = write(descriptor, text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return;  // it does not read: its end says why
        done += static_cast<std::size_t>(count);
    }
}

/// "state parent" of a process, from what follows its name, which may hold anything.
std::optional<std::pair<char, pid_t>> state_and_parent(fs::path const& process) {
    std::ifstream in(process / "stat");
    std::string text;
    std::getline(in, text, '\0');
    auto const end = text.rfind(')');
    char state = 0;
    int parent = 0;
    if (end == std::string::npos || std::sscanf(text.c_str() + end + 1, " %c %d", &state, &parent) != 2)
        return std::nullopt;
    return std::pair(state, parent);
}

/// Those that still run.
std::vector<pid_t> children() {
    std::vector<pid_t> out;
    std::error_code error;
    for (fs::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
        pid_t const pid = std::atoi(entry->path().filename().c_str());
        if (pid <= 0) continue;
        auto const found = state_and_parent(entry->path());
        if (found && found->second == getpid() && found->first != 'Z') out.push_back(pid);
    }
    return out;
}

void reap() {
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
}

/// Waits until no child is left, for as long as that. @return those that are
std::vector<pid_t> left_after(std::chrono::milliseconds time) {
    auto const end = Clock::now() + time;
    for (;;) {
        reap();
        std::vector<pid_t> const left = children();
        if (left.empty() || Clock::now() >= end) return left;
        std::this_thread::sleep_for(20ms);
    }
}

}  // namespace

Child::Child(Program const& command) {
    std::optional<Pipe> input, errors;
    if (command.input) input.emplace();
    if (command.watched) errors.emplace();
    pid_t const parent = getpid();
    pid_ = fork();
    if (pid_ < 0) throw RunError(std::string("fork: ") + std::strerror(errno));
    if (pid_ == 0) become(command, parent, input ? input->read : -1, errors ? errors->write : -1);
    setpgid(pid_, pid_);  // here too: whoever comes first
    if (input) {
        close(input->read);
        give(input->write, *command.input);
        close(input->write);
    }
    if (errors) {
        close(errors->write);
        errors_ = errors->read;
        fcntl(errors_, F_SETFL, O_NONBLOCK);
    }
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), errors_(std::exchange(other.errors_, -1)), code_(other.code_) {}

Child::~Child() {
    if (pid_ > 0 && !ended()) {
        kill(-pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    close_errors();
}

void Child::close_errors() {
    if (errors_ >= 0) close(errors_);
    errors_ = -1;
}

void Child::signal(int signal) const {
    if (pid_ <= 0 || code_) return;
    if (signal == SIGKILL) kill(-pid_, signal);
    kill(pid_, signal);
}

std::optional<int> Child::ended() {
    int status = 0;
    if (!code_ && pid_ > 0 && waitpid(pid_, &status, WNOHANG) == pid_)
        code_ = WIFEXITED(status) ? WEXITSTATUS(status) : code_by(WTERMSIG(status));
    return code_;
}

Keeper::Keeper() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    std::signal(SIGPIPE, SIG_IGN);
    sigset_t set;
    sigemptyset(&set);
    for (int const signal : taken) {
        struct sigaction now {};
        sigaction(signal, nullptr, &now);
        bool const ignored = now.sa_handler == SIG_IGN && signal == SIGHUP;  // nohup
        if (!ignored) sigaddset(&set, signal);
    }
    sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals_ < 0) throw RunError(std::string("signalfd: ") + std::strerror(errno));
}

Keeper::~Keeper() { close(signals_); }

void Keeper::pass_text(Child const& child, WhileWaiting const& doing) const {
    std::array<char, 4096> text;
    for (ssize_t count; child.errors() >= 0 && (count = read(child.errors(), text.data(), text.size())) > 0;) {
        std::string const piece(text.data(), static_cast<std::size_t>(count));
        give(STDERR_FILENO, piece);
        if (doing.on_text) doing.on_text(piece);
    }
}

std::optional<int> Keeper::wait(Child& child, WhileWaiting const& doing) const {
    for (;;) {
        pass_text(child, doing);
        if (auto const code = child.ended()) {
            pass_text(child, doing);
            return code;
        }
        if (doing.until && Clock::now() >= *doing.until) return std::nullopt;
        pollfd files[] = {{signals_, POLLIN, 0}, {child.errors(), POLLIN, 0}};
        // A stderr that was closed is always ready: it is not looked at again before something else happens.
        poll(files, 2, static_cast<int>(std::chrono::milliseconds(look_again).count()));
        if ((files[1].revents & POLLIN) == 0 && (files[1].revents & POLLHUP) != 0) poll(files, 1, 20);
        signalfd_siginfo info;
        while (read(signals_, &info, sizeof info) == sizeof info)
            if (static_cast<int>(info.ssi_signo) != SIGCHLD && doing.on_signal)
                doing.on_signal(static_cast<int>(info.ssi_signo));
    }
}

int Keeper::end_leftovers(std::function<void(pid_t)> const& seen) const {
    if (seen)
        for (pid_t const pid : children()) seen(pid);
    std::vector<pid_t> left = left_after(ends_by_itself);
    int const count = static_cast<int>(left.size());
    for (pid_t const pid : left) kill(pid, SIGTERM), kill(pid, SIGCONT);
    if (!left.empty()) left = left_after(ends_when_asked);
    while (!left.empty()) {  // what they leave in turn comes here too
        for (pid_t const pid : left) kill(pid, SIGKILL);
        left = left_after(std::chrono::milliseconds(100));
    }
    return count;
}

}  // namespace ein::apps::tool
