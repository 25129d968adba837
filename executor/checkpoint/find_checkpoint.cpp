// What Checkpoints finds in its folder before a run: a run that is finished, a checkpoint to go on from, one of another
// run that is refused, or nothing.
#include <algorithm>

#include "executor/checkpoint/checkpoints.hpp"
#include "executor/checkpoint/folder/checkpoint_fault.hpp"
#include "executor/checkpoint/folder/checkpoint_number.hpp"
#include "executor/checkpoint/folder/finished_run.hpp"
#include "executor/checkpoint/rest_graph.hpp"
#include "lib/base/error.hpp"
#include "lib/base/json.hpp"
#include "lib/base/text/hex.hpp"

namespace ein::executor {

namespace fs = std::filesystem;

/// A hash of all that decides the results.
std::string Checkpoints::run_of(Results const& results) const {
    Manifest run;
    run.schedule_hash = origin_.schedule_hash;
    run.params = {header_.params.begin(), header_.params.end()};
    for (NamedInput const& input : inputs_) run.inputs.push_back({input.tensor, "", input.file});
    return text_hash(to_text(run) + (results.dense ? "dense" : ""));
}

/// At rank 0. Whether a run was finished in the folder that leaves this one nothing to do; says of any how it stands.
bool Checkpoints::is_done(Results const& results, Wanted wanted) const {
    std::optional<FinishedRun> const finished = finished_run(settings_.folder);
    if (!finished) return false;
    std::string const there = settings_.folder.string();
    if (finished->run != run_of(results)) {
        messages_.report("a run of another schedule, or with other inputs, params or options, was finished in " +
                         there + " at " + finished->time + ", with results in " + finished->folder);
        return false;
    }
    if (!has_results(*finished, results.folder)) {
        messages_.report("finished at " + finished->time + ", but the results are not in " + results.folder.string() +
                         " as they were written (" + finished->folder + "): they are computed again");
        return false;
    }
    std::string const text = "finished at " + finished->time + ", and the results are in " + results.folder.string();
    bool const done = wanted == Wanted::results;
    messages_.report(text + (done ? ": nothing to do; give another folder to --checkpoint to run it again"
                                  : "; --report, --trace, --verify and --check-finite take a run all the same"));
    return done;
}

/// Of what a run without a checkpoint begins at the beginning.
std::string Checkpoints::beginning() const {
    bool const is_rest = is_checkpoint_number(origin_.data_folder.lexically_normal().filename().string()) &&
                         is_rest_of(header_, origin_.data_folder);
    if (!is_rest) return "from the beginning";
    return "from the beginning of what " +
           origin_.data_folder.lexically_normal().lexically_proximate(fs::current_path()).string() + " left to do";
}

/// At rank 0: what is in the folder, and whether it is this run's.
void Checkpoints::find(Results const& results, Wanted wanted) {
    lock_.emplace(settings_.folder);
    sweep_partial(settings_.folder);
    copies_.copies.resize(header_.inputs.size());
    std::optional<FoundCheckpoint> found = newest_checkpoint(settings_.folder);
    bool const is_ours = found && found->manifest.schedule_hash == origin_.schedule_hash;
    if (is_ours) {
        copies_.copies = copies_of(header_, found->manifest.inputs);
        for (std::string const& text :
             changed_originals(header_, copies_.copies, found->manifest.inputs, origin_.data_folder))
            messages_.warn(text);
    }
    inputs_ = inputs_now(header_, copies_.copies, origin_.data_folder, settings_.folder);
    nothing_to_do_ = is_done(results, wanted);
    if (nothing_to_do_) return;
    if (!found) {
        messages_.report("no checkpoint in " + settings_.folder.string() + ": " + beginning());
        return;
    }
    if (!is_ours && is_rest_of(header_, found->path)) {
        bases_.insert(found->number);
        messages_.report("the schedule is of what " + found->path.string() + " leaves to do: from its beginning");
        return;
    }
    check(*found);
    messages_.report((found->manifest.is_of_beginning() ? "begins with the inputs in " : "goes on from ") +
                     found->path.string() + " of " + found->manifest.time);
    resumed_ = std::move(found);
}

/// @throws InputError unless it is of this schedule and these inputs
void Checkpoints::check(FoundCheckpoint const& found) {
    Faults faults((found.path / "manifest.json").string());
    Manifest const& manifest = found.manifest;
    std::string const other =
        "give another folder to --checkpoint, or plan what this one leaves to do: einplan --resume " +
        settings_.folder.string() + " -n " + std::to_string(header_.ranks);
    bool const other_graph = manifest.graph_hash != text_hash(header_.graph_text);
    if (manifest.schedule_hash != origin_.schedule_hash)
        faults.add("/schedule",
                   "a checkpoint of " + origin_.schedule.string() + " (hash " + origin_.schedule_hash + ")",
                   "one of another schedule (hash " + manifest.schedule_hash +
                       (other_graph ? "), of another graph" : ") of the same graph"),
                   other_graph ? "give another folder to --checkpoint" : other);
    std::map<std::string, double> params(header_.params.begin(), header_.params.end());
    for (auto const& [name, value] : params)
        if (auto const then = manifest.params.find(name); then == manifest.params.end() || then->second != value)
            faults.add("/params/" + name, Json(value).dump() + ", as this run sets it",
                       (then == manifest.params.end() ? "nothing" : Json(then->second).dump()) +
                           " in the checkpoint, as the run before did",
                       (then == manifest.params.end()
                            ? ""
                            : "run with --set " + name + "=" + Json(then->second).dump() + " as before, or ") +
                           other);
    for (std::size_t i = 0; i < std::min(inputs_.size(), manifest.inputs.size()); ++i) {
        NamedInput const &now = inputs_[i], &then = manifest.inputs[i];
        if (now.tensor == then.tensor && (now.file == then.file || !now.copy.empty())) continue;
        faults.add("/inputs/" + std::to_string(i),
                   "tensor '" + now.tensor + "' as it is now" + (now.file ? " (" + to_text(*now.file) + ")" : ""),
                   "tensor '" + then.tensor + "'" + (then.file ? " (" + to_text(*then.file) + ")" : ""),
                   "put the file back that was there, or give another folder to --checkpoint");
    }
    faults.throw_if_any();
}

/// Copies are whole; that they are those of this run. @throws InputError
void Checkpoints::check_named_copies(FoundCheckpoint const& found) const {
    Faults faults((found.path / "manifest.json").string());
    for (std::size_t i = 0; i < std::min(inputs_.size(), found.manifest.inputs.size()); ++i)
        if (NamedInput const& then = found.manifest.inputs[i]; !inputs_[i].copy.empty() && inputs_[i].file != then.file)
            faults.add("/inputs/" + std::to_string(i),
                       "the copy of tensor '" + then.tensor + "'" + (then.file ? " (" + to_text(*then.file) + ")" : ""),
                       (settings_.folder / then.copy).string() + ", another file", fix_without(found.path));
    faults.throw_if_any();
}

}  // namespace ein::executor
