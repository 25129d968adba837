// What is wrong with a checkpoint, as an InputError whose fix is the same for all: which checkpoint to go on from
// instead. Example: within(found.path, [&] { return ValueFile(found.path, value); }).
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "lib/base/error.hpp"

namespace ein::executor {

/// "move ckpt/000004 out of ckpt to go on from the one before, ckpt/000003": of checkpoint ckpt/000004. Nothing is
/// lost by it: what is damaged may still hold values that somebody wants.
std::string fix_without(std::filesystem::path const& checkpoint);

/// Calls act(); the faults that it throws get that fix.
template <class Act>
auto within(std::filesystem::path const& checkpoint, Act&& act) {
    try {
        return std::forward<Act>(act)();
    } catch (InputError const& error) {
        std::vector<Fault> faults = error.faults();
        std::string const fix = fix_without(checkpoint);
        for (Fault& fault : faults) fault.fix = fix;
        throw InputError(std::move(faults));
    }
}

/// Calls act() and keeps the faults that it throws, to go on and find others.
template <class Act>
void collect(std::vector<Fault>& faults, Act&& act) {
    try {
        std::forward<Act>(act)();
    } catch (InputError const& error) {
        faults.insert(faults.end(), error.faults().begin(), error.faults().end());
    }
}

}  // namespace ein::executor
