#include "executor/checkpoint/folder/manifest.hpp"

#include <limits>

#include "executor/checkpoint/folder/element_hash.hpp"
#include "executor/checkpoint/folder/manifest_text.hpp"
#include "tests/executor/checkpoint/folder/saved_values.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

std::string refusal(std::string const& text) {
    try {
        manifest_from(text, "m.json");
    } catch (InputError const& error) {
        return error.what();
    }
    return "";
}

Manifest sample() { return test::manifest_of(test::described(test::live_values(1))); }

/// The manifest with a change, as somebody would write it who knows the checksum.
template <class Change>
std::string changed(Change&& change) {
    Json document = Json::parse(to_text(sample()));
    change(document);
    document["checksum"] = checksum_of(document);
    return document.dump();
}

}  // namespace

TEST_CASE("a manifest comes back as it was written, and gives the same text", "[executor][checkpoint]") {
    Manifest manifest = sample();
    manifest.bases = {"000001", "000002"};
    manifest.rest = {12, 0xfedcba9876543210u};
    manifest.params = {{"a", 0.1}, {"big", 1e300}, {"inf", std::numeric_limits<double>::infinity()}, {"one", 1.0}};
    manifest.inputs[0].source = "caf\xe9\n/x.npy";  // no UTF-8: a path may be any bytes
    manifest.inputs[1].source = "na\xc3\xafve \"x\"";
    manifest.inputs[0].copy = "000001/x~2.npy";
    manifest.copies = {{"x.npy", copied_piece + 1, {7, 8}}, {"caf\xe9", 0, {}}};
    std::string const text = to_text(manifest);
    CHECK(manifest_from(text, "m.json") == manifest);
    CHECK(to_text(manifest_from(text, "m.json")) == text);
    CHECK(manifest_from(to_text(Manifest{}), "m.json") == Manifest{});
}

TEST_CASE("a manifest that was changed is refused, whatever was changed", "[executor][checkpoint]") {
    std::string const text = to_text(sample());
    for (std::size_t at = 0; at < text.size(); ++at)
        for (unsigned bit = 0; bit < 8; ++bit) {
            std::string other = text;
            other[at] = static_cast<char>(other[at] ^ (1u << bit));
            try {
                bool const same = manifest_from(other, "m.json") == sample();  // space is not read
                if (!same) FAIL("byte " << at << ", bit " << bit);
            } catch (InputError const&) {
            }
        }
    std::string other = text;
    other.replace(other.find("\"ranks\": 2"), 10, "\"ranks\": 3");
    CHECK(refusal(other).find("m.json: /checksum: expected ") == 0);
    CHECK(refusal(text.substr(0, 100)).find("m.json: line ") == 0);
    CHECK(refusal("") != "");
    CHECK(refusal("[]").find("m.json: expected an object") == 0);
    CHECK(refusal("{}").find("m.json: expected the key 'checkpoint', found none") == 0);
    CHECK(refusal("{\"checkpoint\": 2}").find("m.json: /checkpoint: expected a checkpoint of format 1, found 2") == 0);
}

TEST_CASE("a manifest that could not have been written is refused at its place", "[executor][checkpoint]") {
    auto const [place, text] = GENERATE(table<std::string, std::string>({
        {"/ranks: expected a whole number from 1", changed([](Json& m) { m["ranks"] = 0; })},
        {"/nodes: expected a whole number from 0", changed([](Json& m) { m["nodes"] = -1; })},
        {"/begun: expected a list", changed([](Json& m) { m["begun"] = "x"; })},
        {"expected the key 'time', found none", changed([](Json& m) { m.erase("time"); })},
        {"/bases/0: expected six digits", changed([](Json& m) { m["bases"] = {"../1"}; })},
        {"/values/0: expected the name of a .npy file in this",
         changed([](Json& m) { m["values"][0]["file"] = "/x.npy"; })},
        {"/values/0: expected the name of a .npy file", changed([](Json& m) { m["values"][0]["file"] = "../x.npy"; })},
        {"/values/0: expected the name of a .npy file", changed([](Json& m) { m["values"][0]["file"] = ".x.npy"; })},
        {"/values/0: expected the name of a .npy file", changed([](Json& m) { m["values"][0]["file"] = "x.bin"; })},
        {"/values: expected a file for each value", changed([](Json& m) { m["values"][1]["file"] = "grad.W.npy"; })},
        {"/values/0/dtype: expected one of", changed([](Json& m) { m["values"][0]["dtype"] = "f31"; })},
        {"/values/0/shape/0: expected a whole number from 0",
         changed([](Json& m) { m["values"][0]["shape"][0] = -6; })},
        {"/values/0: expected a shape of fewer", changed([](Json& m) {
             m["values"][0]["shape"] = {std::int64_t{1} << 40, std::int64_t{1} << 22};
         })},
        {"/values/0/boxes/0: expected a box inside (6, 5)",
         changed([](Json& m) { m["values"][0]["boxes"][0]["begin"][0] = 1; })},
        {"/values/0/boxes/0: expected a box inside (6, 5)",
         changed([](Json& m) { m["values"][0]["boxes"][0]["length"] = {6}; })},
        {"/values/0/boxes/0/hash: expected 16 hexadecimal digits",
         changed([](Json& m) { m["values"][0]["boxes"][0]["hash"] = "12"; })},
        {"/inputs/0/copy: expected a file of a checkpoint",
         changed([](Json& m) { m["inputs"][0]["copy"] = "../x.npy"; })},
        {"/inputs/0/copy: expected a file of a checkpoint",
         changed([](Json& m) { m["inputs"][0]["copy"] = "000001/../x"; })},
        {"/copies/0: expected the name of a file in this folder", changed([](Json& m) {
             m["copies"] = {{{"file", "../x"}, {"bytes", 1}, {"hashes", {"0000000000000000"}}}};
         })},
        {"/copies/0: expected 2 hashes, found 1", changed([](Json& m) {
             m["copies"] = {{{"file", "x"}, {"bytes", copied_piece + 1}, {"hashes", {"0000000000000000"}}}};
         })},
        {"/copies: expected a file for each copy, found 'rest.json' twice", changed([](Json& m) {
             m["copies"] = {{{"file", "rest.json"}, {"bytes", 0}, {"hashes", Json::array()}}};
         })},
        {"/params/eta", changed([](Json& m) { m["params"]["eta"] = "x"; })},
        {"/rest", changed([](Json& m) { m["rest"] = 1; })},
        {"/values/0", changed([](Json& m) { m["values"][0] = 1; })},
    }));
    CAPTURE(place, refusal(text));
    CHECK(refusal(text).find(place) != std::string::npos);
}

TEST_CASE("files of values have names that may stand in a folder, all different", "[executor][checkpoint]") {
    std::vector<std::string> const names{"grad/W",
                                         "grad.W",
                                         "GRAD.w",
                                         "",
                                         "..",
                                         "a\nb",
                                         ".x",
                                         "grad.W~2",
                                         std::string(300, 'x'),
                                         std::string(299, 'x') + "y"};
    std::vector<std::string> const files = file_names(names);
    CHECK(files[0] == "grad.W.npy");
    CHECK(files[1] == "grad.W~2.npy");
    CHECK(files[2] == "GRAD.w~3.npy");
    CHECK(files[3] == "_.npy");
    CHECK(files[4] == "_...npy");
    CHECK(files[5] == "a_b.npy");
    CHECK(files[6] == "_.x.npy");
    CHECK(files[7] == "grad.W~2~2.npy");
    CHECK(files[8].size() < 200);
    CHECK(files[8] != files[9]);
    CHECK(file_names(names) == files);
}

TEST_CASE("what holds copies alone is of the beginning, a moment before the first node is not",
          "[executor][checkpoint]") {
    Manifest manifest;
    CHECK_FALSE(manifest.is_of_beginning());
    manifest.copies = {{"X.npy", 0, {}}};
    CHECK(manifest.is_of_beginning());
    manifest.iterations = {12};
    CHECK_FALSE(manifest.is_of_beginning());
    manifest.nodes = 1, manifest.iterations = {};
    CHECK_FALSE(manifest.is_of_beginning());
}

TEST_CASE("copies keep the names of their files, all different", "[executor][checkpoint]") {
    std::vector<std::string> const files{"a/X.npy",  "b/X.npy",       "c/x.NPY",
                                         "S.tar.gz", "manifest.json", "d/REST.json",
                                         "raw",      "f/.hidden.npy", "x." + std::string(300, 'y')};
    std::vector<std::string> const names = copy_names(files);
    CHECK(names[0] == "X.npy");
    CHECK(names[1] == "X~2.npy");
    CHECK(names[2] == "x~3.NPY");
    CHECK(names[3] == "S.tar.gz");
    CHECK(names[4] == "manifest~2.json");
    CHECK(names[5] == "REST~2.json");
    CHECK(names[6] == "raw");
    CHECK(names[7] == "_.hidden.npy");
    CHECK(names[8].size() < 200);
}

TEST_CASE("the hash is XXH3, in parts too", "[executor][checkpoint]") {
    CHECK(hash_of({}) == 0x2d06800538d394c2u);
    std::vector<std::byte> bytes(10000);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 >> 3);
    ElementHash parts;
    for (std::size_t at = 0, size = 1; at < bytes.size(); at += size++)
        parts.add(std::span(bytes).subspan(at, std::min(size, bytes.size() - at)));
    CHECK(parts.value() == hash_of(bytes));
}
