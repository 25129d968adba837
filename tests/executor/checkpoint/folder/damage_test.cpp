// Folders of checkpoints damaged in 500 ways: each is refused by a message that names the file, or nothing of what it
// saved has changed.
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "executor/checkpoint/folder/manifest_text.hpp"
#include "tests/executor/checkpoint/folder/saved_values.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::test;
namespace fs = std::filesystem;

namespace {

std::string text_of(fs::path const& file) {
    std::ostringstream out;
    out << std::ifstream(file, std::ios::binary).rdbuf();
    return out.str();
}

void write(fs::path const& file, std::string const& text) {
    fs::remove(file);
    std::ofstream(file, std::ios::binary) << text;
}

/// Damage to checkpoint 000002 of a folder that has 000001 too.
class Damage {
public:
    Damage(fs::path dir, unsigned seed) : dir_(std::move(dir)), random_(seed) {
        for (std::string const& name : names_in(now())) files_.push_back(name);
    }

    /// @return what was done
    std::string apply() {
        switch (below(11)) {
            case 0: return flip_bits();
            case 1: return cut();
            case 2: return extend();
            case 3: return remove();
            case 4: return swap();
            case 5: return link();
            case 6: return take_from_older();
            case 7: return add_stray();
            case 8: return become_special();
            case 9: return edit_manifest(false);
            default: return edit_manifest(true);
        }
    }

private:
    fs::path now() const { return dir_ / "000002"; }
    std::size_t below(std::size_t count) { return random_() % count; }
    std::string any_file() { return files_[below(files_.size())]; }

    std::string flip_bits() {
        std::string const name = any_file();
        std::string text = text_of(now() / name);
        for (std::size_t i = 0; i <= below(3); ++i) {
            char& byte = text[below(text.size())];
            byte = static_cast<char>(byte ^ (1u << below(8)));
        }
        write(now() / name, text);
        return "bits of " + name;
    }
    std::string cut() {
        std::string const name = any_file();
        fs::resize_file(now() / name, below(fs::file_size(now() / name)));
        return "cut " + name;
    }
    std::string extend() {
        std::string const name = any_file();
        std::ofstream(now() / name, std::ios::app) << std::string(1 + below(100), '\0');
        return "longer " + name;
    }
    std::string remove() {
        std::string const name = any_file();
        fs::remove(now() / name);
        return "removed " + name;
    }
    std::string swap() {
        std::string const one = any_file(), other = any_file();
        fs::rename(now() / one, now() / ".swap");
        if (one != other) fs::rename(now() / other, now() / one);
        fs::rename(now() / ".swap", now() / other);
        return "swapped " + one + " " + other;
    }
    std::string link() {
        std::string const name = any_file();
        fs::remove(now() / name);
        std::vector<fs::path> const targets{dir_ / "000001" / name, now() / any_file(), "/dev/zero", "nothing", name};
        fs::path const target = targets[below(targets.size())];
        fs::create_symlink(target, now() / name);
        return "link " + name + " to " + target.string();
    }
    std::string take_from_older() {
        std::string const to = any_file(), from = below(2) == 0 ? to : any_file();
        if (!fs::exists(dir_ / "000001" / from)) return "nothing";
        write(now() / to, text_of(dir_ / "000001" / from));
        return "older " + from + " as " + to;
    }
    std::string add_stray() {
        std::string const name = std::vector<std::string>{"x.npy", ".hidden", "W.npy", "rest", "manifest"}[below(5)];
        std::ofstream(now() / name) << "stray";
        return "stray " + name;
    }
    std::string become_special() {
        std::string const name = any_file();
        fs::remove(now() / name);
        if (below(2) == 0)
            fs::create_directory(now() / name);
        else
            ::mkfifo((now() / name).c_str(), 0600);
        return "special " + name;
    }

    /// Any value of the document, however deep.
    Json& any_of(Json& value) {
        if (!value.is_structured() || value.empty() || below(6) == 0) return value;
        auto at = value.begin();
        std::advance(at, below(value.size()));
        return any_of(*at);
    }
    Json other_value() {
        std::vector<Json> const values{nullptr,
                                       true,
                                       -1,
                                       0,
                                       1,
                                       7,
                                       INT64_MAX,
                                       UINT64_MAX,
                                       0.5,
                                       "",
                                       "grad.W.npy",
                                       "../x.npy",
                                       "f64",
                                       "0000000000000000",
                                       Json::array(),
                                       Json::object(),
                                       {1, 2},
                                       {0}};
        return values[below(values.size())];
    }
    std::string edit_manifest(bool as_written) {
        fs::path const file = now() / "manifest.json";
        Json document = Json::parse(text_of(file));
        std::string const before = document.dump();
        any_of(document) = other_value();
        if (as_written && document.is_object()) document["checksum"] = checksum_of(document);
        write(file, document.dump());
        return "edited " + before + " to " + document.dump();
    }

    fs::path dir_;
    std::mt19937 random_;
    std::vector<std::string> files_;
};

/// Whether the message names something in the folder of the damaged checkpoint.
bool names_file(InputError const& error, fs::path const& dir) {
    return std::all_of(error.faults().begin(), error.faults().end(), [&](Fault const& fault) {
        return fault.file.starts_with((dir / "00000").string()) && fault.fix.find("move ") == 0;
    });
}

/// Reads all that the manifest says is there, whether or not it was verified: it may be refused, nothing worse.
void load_all(FoundCheckpoint const& found) {
    for (SavedValue const& value : found.manifest.values)
        for (SavedBox const& saved : value.boxes) {
            if (saved.box.elements() > 10000) continue;
            std::vector<std::byte> bytes(static_cast<std::size_t>(saved.box.elements()) * size_of(value.dtype));
            try {
                if (value.is_sparse())
                    load_list(found, value, saved.box, tensor::in_order(saved.box.order()), bytes);
                else
                    load_box(found, value, saved.box, bytes);
            } catch (InputError const&) {
            }
        }
}

/// The values that the manifest still has under their names with their boxes.
std::vector<LiveValue> still_named(std::vector<LiveValue> values, Manifest const& manifest) {
    std::vector<SavedValue> const expected = described(values);
    std::vector<LiveValue> out;
    for (std::size_t i = 0; i < values.size(); ++i)
        for (SavedValue const& value : manifest.values) {
            bool const same = value.name == expected[i].name && value.shape == expected[i].shape &&
                              value.dtype == expected[i].dtype && value.boxes.size() == expected[i].boxes.size();
            if (same && std::equal(value.boxes.begin(), value.boxes.end(), expected[i].boxes.begin(),
                                   [](SavedBox const& a, SavedBox const& b) { return a.box == b.box; }))
                out.push_back(values[i]);
        }
    return out;
}

}  // namespace

TEST_CASE("a damaged checkpoint is refused by name, or gives what was saved", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    fs::path const good = folder.path() / "good", dir = folder.path() / "damaged";
    save(good, "000001", live_values(100));
    save(good, "000002", live_values(200));
    int refused = 0, without_effect = 0;
    for (unsigned seed = 0; seed < 500; ++seed) {
        fs::remove_all(dir);
        fs::copy(good, dir, fs::copy_options::recursive);
        std::string const done = Damage(dir, seed).apply();
        CAPTURE(seed, done);
        try {
            auto const found = newest_checkpoint(dir);
            REQUIRE(found);
            REQUIRE(found->number == "000002");
            load_all(*found);
            verify_all(*found);
            REQUIRE(wrong_value(*found, still_named(live_values(200), found->manifest), seed) == "");
            if (done.find("edited") != 0) {
                REQUIRE(still_named(live_values(200), found->manifest).size() == 7);
                REQUIRE(has_copy(*found));
            }
            ++without_effect;
        } catch (InputError const& error) {
            CAPTURE(error.what());
            REQUIRE(names_file(error, dir));
            ++refused;
        }
        CHECK(wrong_value(open_checkpoint(dir, "000001"), live_values(100)) == "");
    }
    CHECK(refused > 350);
    CHECK(without_effect > 10);
}
