// A process that saves is killed at each of its calls that open or change files, or the call fails: either the old
// checkpoint or the new one is there, whole, and the next run goes on. (crash_calls.cpp does it.)
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/executor/checkpoint/folder/saved_values.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::test;
namespace fs = std::filesystem;

namespace {

constexpr unsigned old_seed = 100, new_seed = 200, next_seed = 300;
constexpr int most_calls = 1000;

/// A folder with checkpoint 000001, and with what a killed run left of another and of the removal of one.
class OldFolder {
public:
    OldFolder() {
        fs::path const dir = folder_.path() / "good";
        save(dir, "000001", few_values(old_seed));
        NewCheckpoint(dir, "000002", unique_name()).create(described(few_values(1)));
        fs::create_directory(dir / ".000000.removed-x");
    }

    fs::path fresh() const {
        fs::path dir = folder_.path() / "tried";
        fs::remove_all(dir);
        fs::copy(folder_.path() / "good", dir, fs::copy_options::recursive);
        return dir;
    }
    fs::path log() const { return folder_.path() / "log"; }
    fs::path output() const { return folder_.path() / "output"; }

private:
    TemporaryFolder folder_;
};

std::string text_of(fs::path const& file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
}

/// What waitpid says of the saver, with that fault.
int status_of_saver(OldFolder const& old, fs::path const& dir, std::string const& fault, unsigned values = new_seed) {
    std::vector<std::string> environment{"LD_PRELOAD=" EIN_CRASH_CALLS, "EIN_CRASH=" + fault,
                                         "EIN_CRASH_LOG=" + old.log().string()};
    std::vector<char*> variables;
    for (std::string& variable : environment) variables.push_back(variable.data());
    variables.push_back(nullptr);
    std::string program = EIN_CHECKPOINT_SAVER, folder = dir.string(), seed = std::to_string(values);
    char* const arguments[] = {program.data(), folder.data(), seed.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, old.output().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    fs::remove(old.log());
    pid_t child = 0;
    REQUIRE(::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, variables.data()) == 0);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
}

void check_whole(FoundCheckpoint const& found, unsigned seed) {
    verify_all(found, 1);
    REQUIRE(wrong_value(found, few_values(seed)) == "");
    REQUIRE(has_copy(found));
}

/// The newest is the old one or the new one, whole.
void check_newest(fs::path const& dir) {
    auto const found = newest_checkpoint(dir);
    REQUIRE(found);
    REQUIRE((found->number == "000001" || found->number == "000002"));
    check_whole(*found, found->number == "000001" ? old_seed : new_seed);
}

/// The next run saves too, and nothing of the one before stays.
void check_next_save(OldFolder const& old, fs::path const& dir) {
    REQUIRE(status_of_saver(old, dir, "none", next_seed) == 0);
    auto const found = newest_checkpoint(dir);
    check_whole(*found, next_seed);
    REQUIRE(names_in(dir) == std::set<std::string>{".lock", found->number});
}

}  // namespace

TEST_CASE("killed at any call, a save leaves the old checkpoint or the new one", "[executor][checkpoint][crash]") {
    OldFolder const old;
    std::string const when = GENERATE("before", "after", "half");
    int call = 1, of_new = 0;
    for (; call < most_calls; ++call) {
        fs::path const dir = old.fresh();
        CAPTURE(when, call);
        int const status = status_of_saver(old, dir, when + ":" + std::to_string(call));
        if (WIFEXITED(status)) {
            REQUIRE(WEXITSTATUS(status) == 0);
            break;
        }
        REQUIRE(WTERMSIG(status) == SIGKILL);
        of_new += newest_checkpoint(dir)->number == "000002" ? 1 : 0;
        check_newest(dir);
        check_next_save(old, dir);
    }
    CHECK(call > 40);
    CHECK(call < most_calls);
    CHECK(of_new > 5);
}

TEST_CASE("a call that fails is an error that leaves the old checkpoint, or no matter",
          "[executor][checkpoint][crash]") {
    OldFolder const old;
    auto const [fault, reason] = GENERATE(table<std::string, std::string>(
        {{"enospc", "No space left"}, {"eio", "Input/output error"}, {"erofs", "Read-only file system"}}));
    int call = 1, errors = 0;
    for (; call < most_calls; ++call) {
        fs::path const dir = old.fresh();
        std::set<std::string> const before = names_in(dir);
        int const status = status_of_saver(old, dir, fault + ":" + std::to_string(call));
        std::string const log = text_of(old.log()), said = text_of(old.output());
        CAPTURE(fault, call, log, said);
        REQUIRE(WIFEXITED(status));
        REQUIRE(WEXITSTATUS(status) <= 1);
        check_newest(dir);
        if (WEXITSTATUS(status) == 1) {
            ++errors;
            REQUIRE(said.find(dir.string()) != std::string::npos);
            REQUIRE(said.find(reason) != std::string::npos);
            check_whole(open_checkpoint(dir, "000001"), old_seed);
            for (std::string const& name : names_in(dir))  // 000002: only its name may not be on the disk
                REQUIRE((name == ".lock" || name == "000002" || before.contains(name)));
        } else {
            REQUIRE(newest_checkpoint(dir)->number == "000002");
        }
        check_next_save(old, dir);
        if (log.find("failed ") == std::string::npos) break;
    }
    CHECK(errors > 25);
    CHECK(call < most_calls);
}

TEST_CASE("nothing gets its final name before it is on the disk, nothing goes before that",
          "[executor][checkpoint][crash]") {
    OldFolder const old;
    fs::path const dir = old.fresh();
    REQUIRE(status_of_saver(old, dir, "none") == 0);
    std::istringstream log(text_of(old.log()));
    std::map<std::string, bool> synced;  // of each file and folder that was changed: whether it was synced since
    std::string partial;
    bool named = false, removed = false;
    int synced_files = 0;
    for (std::string line; std::getline(log, line);) {
        std::istringstream words(line);
        std::string call, path, to;
        words >> call >> path >> to;
        CAPTURE(line);
        if (call == "create" || call == "unlink") synced[fs::path(path).parent_path()] = false;
        if (call == "create" || call == "write") synced[path] = false;
        if (call == "fsync") synced[path] = true, ++synced_files;
        if (call != "rename") continue;
        std::string const inside = path + "/";
        if (to == (dir / "000002").string()) {
            named = true;
            partial = path;
            int files = 0;
            for (auto const& [changed, is_synced] : synced) {
                if (changed != path && !changed.starts_with(inside)) continue;
                CAPTURE(changed);
                CHECK(is_synced);
                ++files;
            }
            CHECK(files == 1 + 5 + 1 + 2);  // the folder, values, a copy, rest.json and manifest.json
            synced[dir.string()] = false;
        } else if (path == (dir / "000001").string()) {
            removed = true;
            CHECK(named);
            CHECK(synced[dir.string()]);
        }
    }
    CHECK(removed);
}
