// Files to remove when the process ends without undoing what it began: by a signal, or by std::terminate. Their names
// are kept where they can be read without a lock and without memory.
// Example: UnfinishedFiles names; names.remember({"results/.Z.npy.partial-..."}); names.forget() when it is complete.
#pragma once

#include <atomic>
#include <filesystem>
#include <vector>

namespace ein {

class UnfinishedFiles {
public:
    UnfinishedFiles() = default;
    ~UnfinishedFiles() { forget(); }
    UnfinishedFiles(UnfinishedFiles const&) = delete;
    UnfinishedFiles& operator=(UnfinishedFiles const&) = delete;

    /// In place of what it held.
    void remember(std::vector<std::filesystem::path> const& paths);
    void forget() noexcept;

    /// All that are remembered in this process. May be called in a signal handler.
    static void remove_all() noexcept;
    /// SIGTERM, SIGINT, SIGHUP and SIGUSR1 remove them, then do what they would have done; one that is ignored (nohup)
    /// stays so. For a main, before other handlers.
    static void remove_on_signals();

private:
    struct Names;
    Names* names_ = nullptr;
};

}  // namespace ein
