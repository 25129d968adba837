#include "executor/checkpoint/checkpoints.hpp"

#include <algorithm>
#include <ctime>

#include "executor/checkpoint/folder/checkpoint_fault.hpp"
#include "executor/checkpoint/folder/finished_run.hpp"
#include "executor/checkpoint/rest_graph.hpp"
#include "executor/checkpoint/tuning.hpp"
#include "executor/report/clock.hpp"
#include "executor/startup/agreement.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/temporary_name.hpp"
#include "lib/base/text/hex.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/schedule/memory/live_bytes.hpp"

namespace ein::executor {

namespace fs = std::filesystem;

namespace {

std::string utc_now() {
    std::time_t const now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

/// Those of a folder in whose files inputs lie: of a schedule of what was left, and what was left of that; and copies.
std::set<std::string> checkpoints_of_inputs(schedule::Header const& header, fs::path const& data_folder,
                                            fs::path const& folder) {
    std::set<std::string> out;
    for (schedule::Input const& input : header.inputs) out.insert(checkpoint_of(input, data_folder, folder));
    out.erase("");
    return out;
}

/// Seconds that a checkpoint is thought to take before one was written.
double first_writing(schedule::Header const& header) {
    double bytes = 0;
    for (std::int64_t peak : header.prediction.peak_bytes) bytes += static_cast<double>(peak);
    return bytes / tuning::first_writing_speed;
}

OptionalId<schedule::MomentId> moment_of(schedule::Header const& header, std::int32_t nodes) {
    for (schedule::MomentId moment : header.moments.ids())
        if (header.moments[moment].nodes == nodes) return moment;
    return {};
}

}  // namespace

Checkpoints::Checkpoints(Transport& transport, schedule::Header& header, CheckpointSettings settings,
                         CheckpointOrigin origin, Messages messages)
    : transport_(transport),
      header_(header),
      settings_(std::move(settings)),
      origin_(std::move(origin)),
      messages_(std::move(messages)),
      wishes_(settings_.times, seconds_now(), first_writing(header)),
      began_(seconds_now()) {}

bool Checkpoints::open(Results const& results, Wanted wanted) {
    agree(transport_, [&] {
        if (first()) find(results, wanted);
    });
    if (!transport_.all_gather(nothing_to_do_ ? "nothing" : "").front().empty()) return true;
    share_found();
    if (settings_.inputs) copy_inputs();
    take_copies();
    if (!resumed_) return false;
    bases_.insert(resumed_->manifest.bases.begin(), resumed_->manifest.bases.end());
    seconds_before_ = resumed_->manifest.seconds;
    report_.resumed_from = resumed_->path.string();
    report_.tasks_done = resumed_->manifest.tasks_done;
    report_.last = resumed_->path.string();
    return false;
}

/// Collective: what rank 0 has found is checked, and taken to go on from; one of the beginning has only copies.
void Checkpoints::share_found() {
    std::string const told = first() && resumed_ ? resumed_->number + "\n" + to_text(resumed_->manifest) : "";
    std::string const found = transport_.all_gather(told).front();
    if (found.empty()) return;
    agree(transport_, [&] {
        if (!first()) {
            std::string const number = found.substr(0, found.find('\n'));
            fs::path const path = settings_.folder / number;
            resumed_ = FoundCheckpoint{
                number, path, manifest_from(found.substr(number.size() + 1), (path / "manifest.json").string())};
        }
        verify_with_bases(*resumed_, transport_.rank().value(), transport_.size());
        if (first()) check_named_copies(*resumed_);
        if (resumed_->manifest.is_of_beginning()) return;
        auto const moment = moment_of(header_, resumed_->manifest.nodes);
        if (!moment || loops_around(header_, *moment).size() != resumed_->manifest.iterations.size())
            throw InputError(Fault{(resumed_->path / "manifest.json").string(), "/nodes",
                                   "a moment of the schedule " + origin_.schedule.string(),
                                   std::to_string(resumed_->manifest.nodes) + " nodes done",
                                   "plan what is left: einplan --resume " + settings_.folder.string()});
        resumed_at_ = schedule::Point{*moment, resumed_->manifest.iterations};
    });
    if (!resumed_at_) resumed_.reset();
}

/// Collective: files of inputs that lie elsewhere become files of a checkpoint of the beginning. One that the run goes
/// on from is newer than that.
void Checkpoints::copy_inputs() {
    std::string number, told;
    agree(transport_, [&] {
        if (!first()) return;
        number = resumed_ ? free_number_before(settings_.folder, resumed_->number) : next_number(settings_.folder);
        InputCopies wanted =
            InputCopies::of(header_, copies_.copies, inputs_, origin_.data_folder, settings_.folder, number);
        if (wanted.files.empty()) return;
        if (number.empty())
            throw RunError("--checkpoint-inputs: expected a free number before " + resumed_->path.string() +
                           " for the copies, found none; plan what is left (einplan --resume " +
                           settings_.folder.string() + "), and run that with --checkpoint-inputs");
        told = number + "\n" + to_text(wanted);
    });
    told = transport_.all_gather(told).front();
    if (told.empty()) return;
    number = told.substr(0, told.find('\n'));
    InputCopies wanted = input_copies_from(told.substr(number.size() + 1), header_.inputs.size());
    NewCheckpoint anew(settings_.folder, number, transport_.all_gather(unique_name()).front());
    try {
        agree(transport_, [&] {
            if (first()) anew.create({}, wanted.files);
        });
        write_copies(transport_, header_, origin_.data_folder, wanted, anew);
        agree(transport_, [&] {
            if (first()) commit_copies(wanted, number, anew);
        });
    } catch (Error const&) {
        if (first()) anew.discard();
        throw;
    }
    copies_ = std::move(wanted);
    report_.last = anew.final_path().string();
}

/// At rank 0. @throws InputError when a file was changed while it was copied
void Checkpoints::commit_copies(InputCopies const& made, std::string const& number, NewCheckpoint& anew) {
    check_copies(header_, inputs_, made, origin_.data_folder, anew.partial_path());
    for (schedule::InputId input : header_.inputs.ids()) inputs_[at(input)].copy = made.copies[input];
    Manifest manifest = manifest_of_now();
    manifest.copies = made.files;
    anew.commit(manifest, rest_of(std::nullopt, with_copies(header_, made.copies, settings_.folder), {}, number));
    messages_.report(
        "the inputs (" + std::to_string(made.files.size()) + (made.files.size() == 1 ? " file, " : " files, ") +
        format_bytes(static_cast<double>(made.bytes())) + ") were copied to " + anew.final_path().string());
}

/// Collective: from here on inputs are read from their copies.
void Checkpoints::take_copies() {
    copies_ = input_copies_from(transport_.all_gather(first() ? to_text(copies_) : "").front(), header_.inputs.size());
    agree(transport_, [&] {
        keep_copies_readable(copies_.copies, settings_.folder);
        header_ = with_copies(std::move(header_), copies_.copies, settings_.folder);
        bases_.merge(checkpoints_of_inputs(header_, origin_.data_folder, settings_.folder));
    });
}

void Checkpoints::take_device(std::string const& device) {
    device_ = device;
    if (!resumed_ || resumed_->manifest.device == device) return;
    throw InputError(Fault{(resumed_->path / "manifest.json").string(), "/device", "a checkpoint of a run on " + device,
                           "one of a run on " + resumed_->manifest.device,
                           "choose that --device, or plan what is left: einplan --resume " + settings_.folder.string() +
                               " -n " + std::to_string(header_.ranks)});
}

Table<schedule::LoopSpecId, std::int64_t> Checkpoints::begun() const {
    return Table<schedule::LoopSpecId, std::int64_t>(resumed_ ? resumed_->manifest.begun : std::vector<std::int64_t>());
}

SavedValue const& Checkpoints::saved(schedule::TensorId tensor) const {
    std::string const& name = header_.tensors[tensor].name;
    for (SavedValue const& value : resumed_->manifest.values)
        if (value.name == name) return value;
    throw InputError(Fault{(resumed_->path / "manifest.json").string(), "/values", "the value '" + name + "'", "none",
                           fix_without(resumed_->path)});
}

void Checkpoints::load(schedule::TensorId tensor, Box const& box, std::span<std::byte> into) const {
    load_box(*resumed_, saved(tensor), box, into);
}

void Checkpoints::load(schedule::TensorId tensor, Box const& box, tensor::SparseLayout const& layout,
                       std::span<std::byte> into) const {
    load_list(*resumed_, saved(tensor), box, layout, into);
}

Checkpoints::Then Checkpoints::save(State const& state) {
    double const began = seconds_now();
    std::string fault;
    std::string const number = transport_.all_gather(first() ? next_number(settings_.folder) : "").front();
    std::string const unique = transport_.all_gather(unique_name()).front();
    NewCheckpoint anew(settings_.folder, number, unique);
    try {
        write(state, number, anew);
    } catch (Error const& error) {
        if (first()) anew.discard();
        fault = error.what();
        ++report_.failed;
        ++failures_;
        if (settings_.required) throw;
    }
    double const now = seconds_now();
    bool const saved = transport_.all_gather(fault.empty() ? "" : "failed").front().empty();
    bool const ends = !transport_.all_gather(wishes_.ends(state.now) ? "ends" : "").front().empty();
    saved ? wishes_.saved(now, now - began) : wishes_.failed(now, now - began);
    bool const goes_beyond = ends && !saved && report_.last.empty();
    if (saved) {
        failures_ = 0;
        told_ = told_beyond_ = false;
        ++report_.saved;
        report_.seconds = now - began;
        report_.all_seconds += now - began;
        report_.last = (settings_.folder / number).string();
    } else if (first() && (!told_ || (goes_beyond && !told_beyond_))) {  // not again and again
        messages_.warn("no checkpoint was saved: " + fault +
                       (goes_beyond ? "; the run goes on, beyond the time when it was to stop, and tries again"
                                    : "; the run goes on, and tries again"));
        told_ = true;
        told_beyond_ = goes_beyond;
    }
    return ends && (saved || !report_.last.empty()) ? Then::end : Then::go_on;
}

/// Collective. @throws Disagreement
void Checkpoints::write(State const& state, std::string const& number, NewCheckpoint& anew) {
    std::vector<bool> const given = schedule::given_tensors(header_);
    std::vector<LiveBox> mine;
    for (LiveBox const& live : state.live)
        if (!given[at(live.tensor)]) mine.push_back(live);
    ValuesToSave values(transport_, header_, std::move(mine), state.read);
    values.write(anew);
    std::int64_t tasks_done = 0;
    for (std::string const& count : transport_.all_gather(std::to_string(state.tasks_done)))
        tasks_done += std::stoll(count);
    report_.bytes = values.bytes();
    agree(transport_, [&] {
        if (!first()) return;
        Manifest manifest = manifest_of(state, values.complete(anew));
        manifest.tasks_done = tasks_done;
        anew.commit(manifest, rest_of(state.point, header_, manifest.values, number));
        remove_older(settings_.folder, number, bases_);
    });
}

/// "" where it cannot be said: the same schedule goes on from the values alone.
std::string Checkpoints::rest_of(std::optional<schedule::Point> const& point, schedule::Header const& header,
                                 std::vector<SavedValue> const& values, std::string const& number) {
    try {
        return rest_graph(header, origin_.data_folder, point, values, settings_.folder / number);
    } catch (Error const& error) {
        if (!rest_failed_)
            messages_.warn("checkpoints have no rest.json, so only this schedule can go on from them: " +
                           std::string(error.what()));
        rest_failed_ = true;
        return "";
    }
}

/// Of the beginning, without values.
Manifest Checkpoints::manifest_of_now() const {
    Manifest out;
    out.version = origin_.version;
    out.schedule_hash = origin_.schedule_hash;
    out.graph_hash = text_hash(header_.graph_text);
    out.device = device_;
    out.bases = bases_;
    out.ranks = header_.ranks;
    out.seconds = seconds_before_ + seconds_now() - began_ - report_.all_seconds;
    out.time = utc_now();
    out.params = {header_.params.begin(), header_.params.end()};
    out.inputs = inputs_;
    return out;
}

Manifest Checkpoints::manifest_of(State const& state, std::vector<SavedValue> values) const {
    Manifest out = manifest_of_now();
    out.nodes = header_.moments[state.point.moment].nodes;
    out.iterations = state.point.iterations;
    out.begun = state.begun.list();
    out.values = std::move(values);
    return out;
}

void Checkpoints::note_finished(Results const& results, std::vector<fs::path> const& files) {
    try {
        std::vector<std::string> names;
        for (fs::path const& file : files) names.push_back(file.filename().string());
        executor::note_finished(settings_.folder, {run_of(results), utc_now(), results.folder.string(),
                                                   results_now(results.folder, names)});
    } catch (Error const& error) {
        messages_.warn("the same command would go on from the last checkpoint again: " + std::string(error.what()));
    }
}

std::string Checkpoints::fault() const {
    if (failures_ < tuning::most_failures) return "";
    return "the last " + std::to_string(failures_) + " checkpoints could not be saved";
}

}  // namespace ein::executor
