#include "lib/tensor/storage/fingerprint.hpp"

#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using tensor::Fingerprint;

namespace {

Fingerprint of(std::string const& text) {
    std::vector<std::byte> bytes(text.size());
    std::transform(text.begin(), text.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
    return fingerprint(tensor::MemoryStorage("memory", std::move(bytes)));
}

}  // namespace

TEST_CASE("files with the same bytes have one fingerprint, wherever they lie", "[lib][tensor]") {
    TemporaryFolder const folder;
    std::string const text(300000, 'x');
    Fingerprint const first = fingerprint(*tensor::open_file(folder.write("a", text)));
    CHECK(first == fingerprint(*tensor::open_file(folder.write("b", text))));
    CHECK(first == of(text));
    CHECK(first.size == 300000);
    CHECK(of("") == of(""));
}

TEST_CASE("another byte of a small file, or another size, is another fingerprint", "[lib][tensor]") {
    std::string const text(10000, 'x');
    Fingerprint const then = of(text);
    for (std::size_t at = 0; at < text.size(); at += 37) {
        std::string other = text;
        other[at] = 'y';
        CHECK_FALSE(of(other) == then);
    }
    CHECK_FALSE(of(text + "x") == then);
    CHECK_FALSE(of(text.substr(1)) == then);
    CHECK_FALSE(of("") == of(std::string(1, '\0')));
}

TEST_CASE("of a large file the first and the last page are sampled, and some in every stretch between",
          "[lib][tensor]") {
    std::size_t const page = 4096, pages = 1000;
    std::string const text(pages * page - 5, 'x');
    Fingerprint const then = of(text);
    auto const differs = [&](std::size_t from, std::size_t to) {
        std::string other = text;
        for (std::size_t at = from; at < std::min(to, other.size()); ++at) other[at] = 'y';
        return !(of(other) == then);
    };
    CHECK(differs(0, 1));
    CHECK(differs(text.size() - 1, text.size()));
    for (std::size_t begin = 0; begin < pages; begin += 32) CHECK(differs(begin * page, (begin + 32) * page));
}

TEST_CASE("a fingerprint is written as size and checksum", "[lib][tensor]") {
    CHECK(to_text(Fingerprint{216, 255}) == "216 bytes, checksum 00000000000000ff");
}
