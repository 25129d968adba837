// A checkpoint, or a folder of them, on one screen: what it is of, how far it is, what it holds, whether it is whole.
// Example: "checkpoint  ckpt/000004: complete", below it "computed  7400 s on 8 ranks (cpu): 7 nodes, 41 tasks".
#pragma once

#include <filesystem>
#include <string>

namespace ein::apps::tool {

/// Whether a path is such a folder, rather than a schedule or a plan.
bool is_checkpoint_folder(std::filesystem::path const& path);

enum class Check { sizes, every_byte };

struct CheckpointScreen {
    std::string text;
    bool whole = true;  // all that was looked at
};

/// @param path  a checkpoint, or a folder of checkpoints: then the newest is shown, and a line for each other
/// @throws InputError when there is none
CheckpointScreen checkpoint_screen(std::filesystem::path const& path, Check check);

/// Its manifest as text, or that of the newest. @throws InputError when it is damaged
std::string checkpoint_json(std::filesystem::path const& path);

}  // namespace ein::apps::tool
