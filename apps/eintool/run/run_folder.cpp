#include "apps/eintool/run/run_folder.hpp"

#include <algorithm>

#include "apps/command_line.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/run_lock.hpp"
#include "lib/base/json.hpp"

namespace ein::apps::tool {

namespace fs = std::filesystem;

std::string RunFolder::newest_checkpoint() const {
    std::string newest;
    std::error_code error;
    for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
        std::string const name = entry->path().filename().string();
        bool const digits = std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
        std::error_code none;
        if (name.size() == 6 && digits && entry->is_directory(none)) newest = std::max(newest, name);
    }
    return newest;
}

std::optional<PlannedState> RunFolder::planned() const {
    fs::path const file = folder_ / "eintool.json";
    std::error_code error;
    if (!fs::exists(file, error)) return std::nullopt;
    try {
        Json const state = parse_json(read_text_file(file), file.string());
        if (state.at("eintool") != 1) return std::nullopt;
        return PlannedState{state.at("request"), state.at("ranks"), state.at("schedule").get<std::string>()};
    } catch (InputError const&) {
        return std::nullopt;
    } catch (Json::exception const&) {
        return std::nullopt;
    }
}

void RunFolder::remember(PlannedState const& state) const {
    Json const document{
        {"eintool", 1}, {"request", state.request}, {"ranks", state.ranks}, {"schedule", state.schedule.string()}};
    write_text(folder_ / "eintool.json", document.dump(1) + "\n");
}

void RunFolder::forget() const {
    std::error_code error;
    for (fs::path const& file : {folder_ / "eintool.json", schedule(), hostfile()}) fs::remove(file, error);
}

std::vector<fs::path> remove_partial_files(fs::path const& folder) {
    constexpr std::string_view mark = ".partial-";
    std::vector<fs::path> finals;
    std::error_code error;
    for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::string const name = entry->path().filename().string();
        auto const at = name.rfind(mark);
        if (name.front() == '.' && at != std::string::npos && at > 1) finals.push_back(folder / name.substr(1, at - 1));
    }
    return sweep_leftovers(folder, finals);
}

}  // namespace ein::apps::tool
