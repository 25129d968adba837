// .npz files: stored, deflated, zip64, damaged. The archives are made here byte by byte.
#include <zlib.h>

#include <thread>

#include "lib/tensor/formats/zip.hpp"
#include "lib/tensor/storage/checked_storage.hpp"
#include "lib/tensor/storage/inflated_storage.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/lib/tensor/tensor_samples.hpp"
#include "tests/lib/tensor/zip_maker.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::samples;
using tensor::HostTensor;
using tensor::NpzSource;

namespace {

std::string npy(HostTensor const& whole) { return header("<f4", false, whole.shape()) + text_of(whole.bytes()); }

/// Half noise, half repetition: deflates into blocks of both kinds.
HostTensor compressible(Shape const& shape) {
    HostTensor out = sample(DType::f32, shape);
    for (std::size_t i = 0; i < out.bytes().size(); ++i)
        if (i / 1000 % 2 == 0 || i % 4 > 1) out.bytes()[i] = static_cast<std::byte>(i / 4000);
    return out;
}

}  // namespace

TEST_CASE("entries are read stored, deflated and with zip64 sizes", "[lib][tensor][npz]") {
    TemporaryFolder const folder;
    HostTensor const first = sample(DType::f32, {6, 7}), second = sample(DType::f32, {5, 3, 4}, 2);
    int files = 0;
    for (Packing packing : {Packing::stored, Packing::deflated})
        for (ZipSizes sizes : {ZipSizes::bits32, ZipSizes::bits64}) {
            ZipMaker zip(packing, sizes);
            zip.add("first.npy", npy(first));
            zip.add("plain", npy(second));
            std::string const file = std::to_string(files++) + ".npz";
            folder.write(file, zip.finish("a comment"));
            CAPTURE(file);
            auto const a = tensor::open(NpzSource{file, "first"}, "A", DType::f32, {6, 7}, folder.path());
            CHECK(wrong_box(*a, first, 20, 1) == "");
            CHECK(wrong_box(*tensor::open(NpzSource{file, "first.npy"}, "A", DType::f32, {6, 7}, folder.path()), first,
                            2, 1) == "");
            auto const b = tensor::open(NpzSource{file, "plain"}, "B", DType::f32, {5, 3, 4}, folder.path());
            CHECK(wrong_box(*b, second, 20, 1) == "");
        }
}

TEST_CASE("a large deflated entry is read from the middle, by many threads", "[lib][tensor][npz]") {
    TemporaryFolder const folder;
    Shape const shape{1500, 1300};  // 7.8 MB: several access points
    HostTensor const whole = compressible(shape);
    ZipMaker zip(Packing::deflated, ZipSizes::bits32);
    zip.add("w.npy", npy(whole));
    folder.write("w.npz", zip.finish());
    auto const reader = tensor::open(NpzSource{"w.npz", "w"}, "W", DType::f32, shape, folder.path());
    std::vector<int> right(3, 0);
    {
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < right.size(); ++t)
            threads.emplace_back([&, t] {
                for (Extent row : {Extent{1499}, Extent{700}, Extent{0}, Extent{1001}}) {
                    Box const box{{row, static_cast<Extent>(t) * 400}, {1, 300}};
                    std::vector<std::byte> out(300 * 4);
                    reader->read(box, out);
                    right[t] += out == take(whole, box);
                }
            });
        for (std::thread& thread : threads) thread.join();
    }
    CHECK(right == std::vector<int>(3, 4));
    std::vector<std::byte> column(1500 * 4), all(whole.bytes().size());
    reader->read(Box{{0, 1299}, {1500, 1}}, column);
    CHECK(column == take(whole, Box{{0, 1299}, {1500, 1}}));
    reader->read(Box::whole(shape), all);
    CHECK(all == whole.bytes());
}

TEST_CASE("an unknown entry lists the nearest", "[lib][tensor][npz]") {
    TemporaryFolder const folder;
    ZipMaker zip(Packing::stored, ZipSizes::bits32);
    for (std::string const name : {"weights.npy", "weight.npy", "bias.npy"})
        zip.add(name, npy(sample(DType::f32, {1})));
    std::string const file = folder.write("w.npz", zip.finish());
    auto const faults = faults_of([&] {
        tensor::open(NpzSource{"w.npz", "weihgt"}, "W", DType::f32, {1}, folder.path());
    });
    REQUIRE(faults.size() == 1);
    CHECK(faults[0] == Fault{file, "tensor 'W'", "an entry 'weihgt'", "none among its 3",
                             "did you mean \"weight\" or \"weights\"?"});
}

TEST_CASE("damaged archives are refused", "[lib][tensor][npz]") {
    TemporaryFolder const folder;
    HostTensor const whole = compressible({100, 100});
    ZipMaker zip(Packing::deflated, ZipSizes::bits32);
    zip.add("w.npy", npy(whole));
    std::string const good = zip.finish();
    int files = 0;
    auto refuse = [&](std::string const& bytes) {
        std::string const file = std::to_string(files++) + ".npz";
        folder.write(file, bytes);
        return faults_of([&] { tensor::read_all(NpzSource{file, "w"}, "W", DType::f32, {100, 100}, folder.path()); });
    };
    CHECK(refuse(good).empty());
    CHECK(refuse("").at(0).found == "what looks like an empty file");
    CHECK(refuse(good.substr(0, good.size() - 30)).at(0).found == "no zip directory at its end");
    CHECK(refuse(good.substr(100)).size() == 1);
    std::string flipped = good;
    flipped[good.size() / 3] = static_cast<char>(flipped[good.size() / 3] ^ 0x10);
    CHECK(refuse(flipped).size() == 1);
    auto const entry = good.find("PK\1\2");
    std::string encrypted = good, method = good, crc = good;
    encrypted[entry + 8] = 1;
    method[entry + 10] = 12;
    crc[entry + 16] = static_cast<char>(crc[entry + 16] ^ 1);
    CHECK(refuse(encrypted).at(0).found == "an encrypted one");
    CHECK(refuse(method).at(0).found == "packing method 12");
    CHECK(refuse(crc).at(0).found == "another CRC-32");
}

TEST_CASE("a damaged byte of a stored entry is found whichever box is read", "[lib][tensor][npz]") {
    TemporaryFolder const folder;
    HostTensor const whole = sample(DType::f32, {400, 1000});  // more than one piece of the check
    ZipMaker zip(Packing::stored, ZipSizes::bits32);
    zip.add("w.npy", npy(whole));
    zip.add("other.npy", npy(whole));
    std::string const good = zip.finish();
    folder.write("good.npz", good);
    std::string damaged = good;
    std::size_t const last = good.find("PK\3\4", 10) - 1;
    damaged[last] = static_cast<char>(damaged[last] ^ 1);
    std::string const file = folder.write("bad.npz", damaged);
    auto first_row = [&](std::string const& name, std::string const& entry) {
        return faults_of([&] {
            std::vector<std::byte> out(1000 * 4);
            tensor::open(NpzSource{name, entry}, "W", DType::f32, {400, 1000}, folder.path())
                ->read(Box{{0, 0}, {1, 1000}}, out);
        });
    };
    CHECK(first_row("good.npz", "w").empty());
    CHECK(first_row("bad.npz", "other").empty());
    CHECK(
        first_row("bad.npz", "w") ==
        std::vector{Fault{file + ": entry 'w.npy'", "", "bytes with the CRC-32 of the zip directory", "another CRC-32",
                          "the file is damaged: copy or write it again, for example with numpy.savez"}});

    std::string sizes = good;
    auto const entry = good.find("PK\1\2");
    sizes[entry + 24] = static_cast<char>(sizes[entry + 24] ^ 1);
    folder.write("sizes.npz", sizes);
    CHECK(first_row("sizes.npz", "w").at(0).expected.find("a stored entry of ") == 0);
}

TEST_CASE("a stored entry is gone through once, whatever is read of it", "[lib][tensor][npz]") {
    class Counting : public tensor::MemoryStorage {
    public:
        using MemoryStorage::MemoryStorage;
        void read_at(std::uint64_t offset, std::span<std::byte> out) const override {
            read += out.size();
            MemoryStorage::read_at(offset, out);
        }
        mutable std::size_t read = 0;
    };
    std::vector<std::byte> const bytes(3 << 20, std::byte{7});
    auto const counting = std::make_shared<Counting const>("c", bytes);
    auto const crc = crc32(0, reinterpret_cast<Bytef const*>(bytes.data()), static_cast<uInt>(bytes.size()));
    tensor::CheckedStorage const storage(counting, static_cast<std::uint32_t>(crc));
    std::vector<std::byte> out(10);
    for (int k = 0; k < 3; ++k) storage.read_at(100, out);
    CHECK(out == std::vector<std::byte>(10, std::byte{7}));
    CHECK(counting->read == bytes.size() + 30);
}
