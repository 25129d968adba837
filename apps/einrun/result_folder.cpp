#include "apps/einrun/result_folder.hpp"

#include "executor/checkpoint/folder/checkpoint_number.hpp"
#include "lib/base/error.hpp"

namespace ein::apps {

namespace fs = std::filesystem;

namespace {

/// With links resolved, and without a last slash.
fs::path resolved(fs::path const& path) {
    std::error_code error;
    fs::path const whole = fs::weakly_canonical(fs::absolute(path), error);
    fs::path const plain = error ? fs::absolute(path).lexically_normal() : whole;
    return plain.has_filename() ? plain : plain.parent_path();
}

}  // namespace

std::string check_result_folder(fs::path const& results, fs::path const& checkpoints) {
    fs::path const out = resolved(results), all = checkpoints.empty() ? fs::path() : resolved(checkpoints);
    std::error_code error;
    for (fs::path folder = out; folder.has_relative_path(); folder = folder.parent_path()) {
        if (!executor::is_checkpoint_number(folder.filename().string())) continue;
        if (folder.parent_path() != all && !fs::exists(folder / "manifest.json", error)) continue;
        bool const named = fs::absolute(results).lexically_normal() == folder;
        throw UsageError(Fault{"", "--out", "a folder that is in no checkpoint, which goes once there is a later one",
                               results.string() + (named ? "" : ", in " + folder.string()),
                               "give another, as --out results"});
    }
    if (all.empty() || out != all) return "";
    return "--out and --checkpoint are one folder, " + results.string() +
           ": who removes the results removes the checkpoints too; give --checkpoint a folder of its own";
}

}  // namespace ein::apps
