// Bytes that somebody made to harm: what FlatBuffers' verifier lets pass is refused all the same.
#include <cstring>

#include "lib/base/error.hpp"
#include "lib/schedule/file/codec.hpp"
#include "lib/schedule/file/file.hpp"
#include "lib/schedule/schedule_generated.h"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/limits_set.hpp"
#include "tests/support/small_schedule.hpp"

using namespace ein;

namespace {

/// What each of the bytes' words moved by four is refused for; "" where it is not.
template <class Decode>
std::vector<std::string> refusals_of_moved_words(schedule::Bytes const& bytes, Decode decode) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
        schedule::Bytes moved = bytes;
        std::uint32_t word = 0;
        std::memcpy(&word, &moved[at], 4);
        word += 4;
        std::memcpy(&moved[at], &word, 4);
        try {
            decode(moved);
            out.emplace_back();
        } catch (InputError const& error) {
            out.emplace_back(error.what());
        }
    }
    return out;
}

std::size_t count_of(std::vector<std::string> const& refusals, std::string const& text) {
    return static_cast<std::size_t>(std::count_if(refusals.begin(), refusals.end(), [&](std::string const& refusal) {
        return refusal.find(text) != std::string::npos;
    }));
}

}  // namespace

TEST_CASE("lists whose elements are misaligned are refused", "[schedule][file]") {
    auto const refusals =
        refusals_of_moved_words(schedule::encode(test::small_schedule().header),
                                [](schedule::Bytes const& bytes) { schedule::decode_header(bytes, "a.sched"); });
    CHECK(count_of(refusals, "a.sched: expected a sound schedule, found a misaligned list; write it again") >= 1);
}

TEST_CASE("lists without elements may stand anywhere", "[schedule][file]") {
    for (std::string const name : {"", "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg"}) {
        schedule::Header header = test::small_schedule().header;
        header.name = name;
        header.tensors.add({name, {}, DType::f64});
        header.movements.add({name, {}});
        header.prediction = {};
        CHECK_NOTHROW(schedule::decode_header(schedule::encode(header), "a.sched"));
    }
}

TEST_CASE("a list that many tables have is not copied many times", "[schedule][file]") {
    namespace fb = schedule::fb;
    flatbuffers::FlatBufferBuilder builder;
    auto const name = builder.CreateString(std::string(1000, 'x'));
    std::vector<flatbuffers::Offset<fb::Tensor>> tensors;
    for (int k = 0; k < 100; ++k) tensors.push_back(fb::CreateTensor(builder, name));
    auto const list = builder.CreateVector(tensors);
    fb::HeaderBuilder header(builder);
    header.add_tensors(list);
    builder.Finish(header.Finish());
    schedule::Bytes const bytes{builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
    CHECK_THROWS_WITH(schedule::decode_header(bytes, "a.sched"),
                      Catch::Contains("found lists that several tables have"));
}

TEST_CASE("a header beyond its limit is refused", "[schedule][file]") {
    TemporaryFolder const folder;
    auto const path = folder.path() / "a.sched";
    schedule::write_file(test::small_schedule(), path);
    test::LimitsSet const set("schedule-header=64");
    CHECK_THROWS_WITH(schedule::read_file(path),
                      Catch::StartsWith(path.string() + ": expected the header of a schedule file of at most 64 B") &&
                          Catch::Contains("allow more with EINLOOM_LIMITS=schedule-header="));
}
