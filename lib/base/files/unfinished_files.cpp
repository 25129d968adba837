#include "lib/base/files/unfinished_files.hpp"

#include <unistd.h>

#include <csignal>
#include <string>

namespace ein {

/// Paths one after another, each ended by '\0', the last by another. A list only grows: whoever reads it in a signal
/// handler never meets memory that is gone; entries that are free are used again.
struct UnfinishedFiles::Names {
    std::atomic<bool> taken{true}, valid{false};
    std::string paths;
    Names* next = nullptr;

    static std::atomic<Names*>& first() {
        static std::atomic<Names*> list{nullptr};
        return list;
    }

    static Names& take() {
        for (Names* names = first(); names != nullptr; names = names->next)
            if (!names->taken.exchange(true)) return *names;
        auto* const names = new Names;
        names->next = first();
        while (!first().compare_exchange_weak(names->next, names)) {
        }
        return *names;
    }
};

void UnfinishedFiles::remember(std::vector<std::filesystem::path> const& paths) {
    std::string text;
    for (std::filesystem::path const& path : paths) text.append(path.string()).push_back('\0');
    text.push_back('\0');
    forget();
    names_ = &Names::take();
    names_->paths = std::move(text);
    names_->valid = true;
}

void UnfinishedFiles::forget() noexcept {
    if (names_ == nullptr) return;
    names_->valid = false;
    names_->taken = false;
    names_ = nullptr;
}

void UnfinishedFiles::remove_all() noexcept {
    for (Names const* names = Names::first(); names != nullptr; names = names->next) {
        if (!names->valid) continue;
        for (char const* path = names->paths.c_str(); *path != '\0';) {
            ::unlink(path);
            while (*path != '\0') ++path;
            ++path;
        }
    }
}

void UnfinishedFiles::remove_on_signals() {
    auto const remove_and_end = [](int signal) {
        remove_all();
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    };
    for (int const number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
        auto const before = std::signal(number, remove_and_end);
        if (before == SIG_IGN) std::signal(number, SIG_IGN);
    }
}

}  // namespace ein
