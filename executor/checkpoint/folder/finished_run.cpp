#include "executor/checkpoint/folder/finished_run.hpp"

#include <charconv>

#include "executor/checkpoint/folder/manifest_text.hpp"
#include "executor/checkpoint/folder/value_file.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/replaced_file.hpp"
#include "lib/tensor/storage/held_file.hpp"

namespace ein::executor {

namespace fs = std::filesystem;

namespace {

constexpr char const* file_name = "finished.json";

Json result_json(WrittenResult const& result) {
    return {{"file", result.file}, {"bytes", result.contents.size}, {"checksum", hex(result.contents.checksum)}};
}

WrittenResult result_of(Json const& json) {
    WrittenResult out{json.at("file"), {json.at("bytes"), 0}};
    std::string const digits = json.at("checksum");
    std::from_chars(digits.data(), digits.data() + digits.size(), out.contents.checksum, 16);
    return out;
}

}  // namespace

std::vector<WrittenResult> results_now(fs::path const& folder, std::vector<std::string> const& files) {
    std::vector<WrittenResult> out;
    for (std::string const& file : files) out.push_back({file, tensor::fingerprint(tensor::HeldFile(folder / file))});
    return out;
}

void note_finished(fs::path const& dir, FinishedRun const& run) {
    Json results = Json::array();
    for (WrittenResult const& result : run.results) results.push_back(result_json(result));
    Json document{{"finished", 1}, {"run", run.run}, {"time", run.time}, {"folder", run.folder}, {"results", results}};
    try {
        document["checksum"] = checksum_of(document);
        ReplacedFile("--checkpoint", dir / file_name).write(document.dump(1) + "\n");
    } catch (Json::exception const&) {
        throw RunError("cannot write " + (dir / file_name).string() + ": names of results are not UTF-8");
    }
}

std::optional<FinishedRun> finished_run(fs::path const& dir) {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(dir / file_name, error))) return std::nullopt;
    try {
        Json const document = parse_json(text_of_file(dir / file_name), file_name);
        if (document.at("finished") != 1 || document.at("checksum") != checksum_of(document)) return std::nullopt;
        FinishedRun out{document.at("run"), document.at("time"), document.at("folder"), {}};
        for (Json const& result : document.at("results")) out.results.push_back(result_of(result));
        return out;
    } catch (Error const&) {
        return std::nullopt;
    } catch (Json::exception const&) {
        return std::nullopt;
    }
}

bool has_results(FinishedRun const& run, fs::path const& folder) {
    try {
        for (WrittenResult const& result : run.results)
            if (tensor::fingerprint(tensor::HeldFile(folder / result.file)) != result.contents) return false;
        return true;
    } catch (Error const&) {
        return false;
    }
}

}  // namespace ein::executor
