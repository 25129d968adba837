// Files that list elements: whatever their order and form, any boxes of them are parts of the same tensor.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "lib/base/error.hpp"
#include "tests/lib/tensor/sparse/listed_entries.hpp"
#include "tests/lib/tensor/tensor_samples.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::samples;
using namespace ein::tensor;

namespace {

std::string wrong(Source const& source, HostTensor const& whole, TemporaryFolder const& folder, std::mt19937& random,
                  int cuts = 3) {
    auto const reader = open_sparse(source, "A", whole.dtype(), whole.shape(), folder.path());
    HostTensor const zeros(whole.dtype(), whole.shape());
    if (read_all(source, "A", whole.dtype(), whole.shape(), folder.path()).bytes() != whole.bytes())
        return "another dense tensor";
    for (int k = 0; k < cuts; ++k)
        if (std::string const found = wrong_blocks(*reader, whole, zeros, k != 1, random); !found.empty()) return found;
    return "";
}

/// Distinct places that entries name.
Extent places(Entries entries) {
    std::sort(entries.at.begin(), entries.at.end());
    return std::unique(entries.at.begin(), entries.at.end()) - entries.at.begin();
}

HostTensor tensor_of(DType dtype, Shape const& shape, std::vector<double> const& values) {
    HostTensor out(dtype, shape);
    for (std::size_t k = 0; k < values.size(); ++k)
        out.set(static_cast<Extent>(k),
                scalar::convert(scalar::Scalar::of(std::complex<double>(values[k])), DType::c128, dtype));
    return out;
}

}  // namespace

TEST_CASE("any cut of a Matrix Market file gives the same elements", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    std::mt19937 random(3);
    for (Shape const& shape : {Shape{1, 1}, Shape{40, 30}, Shape{1, 200}, Shape{0, 5}, Shape{17, 3}}) {
        for (Order order : {Order::none, Order::by_rows, Order::by_columns}) {
            for (Twice twice : {Twice::never, Twice::sometimes}) {
                Entries entries = draw_entries(shape, 150, order, twice, random);
                for (DType dtype : {DType::f32, DType::c64, DType::bf16}) {
                    folder.write("a.mtx", mtx_of(entries, "real general", random));
                    CHECK(wrong(MtxSource{"a.mtx"}, dense_of(entries, dtype), folder, random) == "");
                }
                for (DType dtype : {DType::i32, DType::i64, DType::f64, DType::boolean}) {
                    folder.write("a.mtx", mtx_of(entries, "Integer GENERAL", random));
                    CHECK(wrong(MtxSource{"a.mtx"}, dense_of(entries, dtype), folder, random) == "");
                }
                auto const reader = open_sparse(MtxSource{"a.mtx"}, "A", DType::f32, shape, folder.path());
                CHECK(reader->listed(Box::whole(shape)) == places(entries));
                CHECK(reader->histogram().total() == static_cast<Extent>(entries.at.size()));
                std::fill(entries.values.begin(), entries.values.end(), 1);
                folder.write("a.mtx", mtx_of(entries, "pattern general", random));
                CHECK(wrong(MtxSource{"a.mtx"}, dense_of(entries, DType::f32), folder, random) == "");
            }
        }
    }
}

TEST_CASE("symmetric matrices are listed on both sides", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    std::mt19937 random(4);
    for (Twice twice : {Twice::never, Twice::sometimes}) {
        for (bool one_side : {true, false}) {
            Entries entries = draw_entries({20, 20}, 90, Order::by_rows, twice, random);
            if (one_side)
                for (std::vector<Extent>& at : entries.at)
                    if (at[0] < at[1]) std::swap(at[0], at[1]);
            std::sort(entries.at.begin(), entries.at.end());
            folder.write("a.mtx", mtx_of(entries, "real symmetric", random));
            CHECK(wrong(MtxSource{"a.mtx"}, dense_of(entries, DType::f64, 1), folder, random) == "");
            std::erase_if(entries.at, [](std::vector<Extent> const& at) { return at[0] == at[1]; });
            folder.write("a.mtx", mtx_of(entries, "integer skew-symmetric", random));
            CHECK(wrong(MtxSource{"a.mtx"}, dense_of(entries, DType::f64, -1), folder, random) == "");
        }
    }
    folder.write("h.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 5 0\n2 1 1.5 -2\n");
    auto const h = read_all(MtxSource{"h.mtx"}, "H", DType::c128, {2, 2}, folder.path());
    CHECK(h.at(0).number == std::complex<double>(5, 0));
    CHECK(h.at(1).number == std::complex<double>(1.5, 2));
    CHECK(h.at(2).number == std::complex<double>(1.5, -2));
    CHECK(h.at(3).number == 0.0);
}

TEST_CASE("arrays of Matrix Market go down the columns", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    std::mt19937 random(5);
    auto check = [&](std::string const& kind, std::string const& size, std::string const& values, Shape const& shape,
                     std::vector<double> const& expected) {
        folder.write("a.mtx", "%%MatrixMarket matrix array " + kind + "\n" + size + "\n" + values);
        CAPTURE(kind, size);
        CHECK(wrong(MtxSource{"a.mtx"}, tensor_of(DType::f64, shape, expected), folder, random) == "");
    };
    check("real general", "2 3", "1\n2\n0\n4\n-5e-1\n6\n", {2, 3}, {1, 0, -0.5, 2, 4, 6});
    check("integer symmetric", "3 3", "1\n2\n3\n4\n5\n6\n", {3, 3}, {1, 2, 3, 2, 4, 5, 3, 5, 6});
    check("real skew-symmetric", "3 3", "1\n2\n3\n", {3, 3}, {0, -1, -2, 1, 0, -3, 2, 3, 0});
    check("real skew-symmetric", "1 1", "", {1, 1}, {0});
    check("real general", "0 3", "", {0, 3}, {});
    folder.write("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n7");
    CHECK(open_sparse(MtxSource{"a.mtx"}, "A", DType::f32, {2, 2}, folder.path())->listed(Box::whole({2, 2})) == 2);
    auto const sevens =
        open_sparse(MtxSource{"a.mtx"}, "A", DType::f32, {2, 2}, folder.path(), scalar::Scalar::of(std::int64_t{7}));
    CHECK(sevens->listed(Box::whole({2, 2})) == 3);
}

TEST_CASE("any cut of a FROSTT file gives the same elements", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    std::mt19937 random(6);
    for (Shape const& shape :
         {Shape{}, Shape{50}, Shape{9, 8}, Shape{12, 9, 7}, Shape{4, 5, 3, 6, 2}, Shape{3, 0, 2}}) {
        for (Order order : {Order::none, Order::by_rows, Order::by_columns}) {
            Entries const entries = draw_entries(shape, 120, order, Twice::sometimes, random);
            folder.write("a.tns", lines_of(entries, true, '#', random));
            for (DType dtype : {DType::f32, DType::i32, DType::c128, DType::boolean}) {
                CAPTURE(to_string(shape), name(dtype));
                CHECK(wrong(TnsSource{"a.tns"}, dense_of(entries, dtype), folder, random) == "");
            }
        }
    }
    folder.write("a.tns", "# whole numbers as some write them\n1 3.0\n2 -4e1\n");
    CHECK(read_all(TnsSource{"a.tns"}, "A", DType::i16, {2}, folder.path()).at(1).integer == -40);
}

TEST_CASE("any cut of a SciPy archive gives the same elements", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    std::mt19937 random(7);
    for (Shape const& shape : {Shape{1, 1}, Shape{23, 31}, Shape{300, 2}, Shape{4, 0}, Shape{6, 5, 4}, Shape{40}}) {
        for (std::string const format : {"csr", "csc", "coo", "coords"}) {
            if (format != "coords" && shape.size() != 2) continue;
            for (Packing packing : {Packing::stored, Packing::deflated}) {
                for (DType index : {DType::i32, DType::i64}) {
                    Entries const entries = draw_entries(shape, 130, Order::none, Twice::sometimes, random);
                    folder.write("a.npz", scipy_of(entries, format, index, packing));
                    CAPTURE(to_string(shape), format);
                    CHECK(wrong(ScipySource{"a.npz"}, dense_of(entries, DType::f64), folder, random) == "");
                    CHECK(wrong(ScipySource{"a.npz"}, dense_of(entries, DType::f32), folder, random) == "");
                    auto const contents = contents_of(ScipySource{"a.npz"}, "A", folder.path());
                    REQUIRE(contents);
                    CHECK(contents->shape == shape);
                    CHECK(contents->dtype == DType::f64);
                }
            }
        }
    }
}

TEST_CASE("a large file is read by parts, with its index and without", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    ::setenv("EINLOOM_CACHE", (folder.path() / "cache").c_str(), 1);
    std::mt19937 random(8);
    Shape const shape{900, 800};
    for (Order order : {Order::by_rows, Order::none}) {
        Entries entries{shape, {}, {}};
        for_each_index(shape, [&](std::vector<Extent> const& index) {
            if (random() % 5 > 2) return;
            entries.at.push_back(index);
            entries.values.push_back(static_cast<int>(random() % 9) - 4);
        });
        if (order == Order::none) std::shuffle(entries.at.begin(), entries.at.end(), random);
        std::string const file = folder.write("a.mtx", mtx_of(entries, "integer general", random));
        HostTensor const whole = dense_of(entries, DType::f32);
        for (int run = 0; run < 2; ++run) {  // the file is too young for its index to be kept at first
            CAPTURE(run);
            CHECK(wrong(MtxSource{"a.mtx"}, whole, folder, random, 1 + run % 2) == "");
            auto const reader = open_sparse(MtxSource{"a.mtx"}, "A", DType::f32, shape, folder.path());
            CHECK(reader->listed(Box::whole(shape)) == static_cast<Extent>(entries.at.size()));
            Box const half{{0, 0}, {450, 800}};
            double const estimate = reader->histogram().estimate(shape, half);
            CHECK(std::abs(estimate / static_cast<double>(reader->listed(half)) - 1) < 0.02);
            timespec const then[2]{{1000 + run, 0}, {1000 + run, 0}};
            ::utimensat(AT_FDCWD, file.c_str(), then, 0);
        }
        CHECK(std::distance(std::filesystem::directory_iterator(folder.path() / "cache"), {}) == 1);
        for (auto const& entry : std::filesystem::directory_iterator(folder.path() / "cache")) {  // damage it
            std::fstream(entry.path(), std::ios::in | std::ios::out).seekp(100) << "damage";
        }
        CHECK(wrong(MtxSource{"a.mtx"}, whole, folder, random, 1) == "");
    }
    ::unsetenv("EINLOOM_CACHE");
}

TEST_CASE("a hull has all that a box lists", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    std::mt19937 random(11);
    Shape const shape{60, 60};
    Entries band{shape, {}, {}};
    for (Extent row = 0; row < 60; ++row)
        for (Extent column = std::max<Extent>(0, row - 2); column < std::min<Extent>(60, row + 2); ++column)
            if (row < 20 || row >= 30) band.at.push_back({row, column}), band.values.push_back(1);
    folder.write("a.mtx", mtx_of(band, "integer general", random));
    auto const hull = [&](Source const& source, Box const& box) {
        return open_sparse(source, "A", DType::f64, shape, folder.path())->hull(box);
    };
    MtxSource const small{"a.mtx"};
    CHECK(hull(small, {{40, 0}, {10, 60}}) == Box{{40, 38}, {10, 13}});
    CHECK(hull(small, {{0, 40}, {60, 5}}) == Box{{39, 40}, {8, 5}});
    CHECK(hull(small, {{15, 0}, {10, 60}}) == Box{{15, 13}, {5, 8}});
    CHECK(hull(small, {{20, 0}, {10, 60}}).empty());
    CHECK(hull(small, {{7, 7}, {0, 3}}).empty());
    CHECK(hull(FillSource{}, {{5, 6}, {7, 8}}) == Box{{5, 6}, {7, 8}});  // looking would take a pass
}

TEST_CASE("the hull in a large file is that of its cells and lines", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    constexpr Extent n = 120'000;
    std::string const kind = GENERATE("general", "symmetric");
    std::string text = "%%MatrixMarket matrix coordinate real " + kind + "\n120000 120000 360000\n";
    for (Extent row = 1; row <= n; ++row)
        for (Extent back : {0, 1, 1000})
            text += std::to_string(row) + " " + std::to_string(std::max<Extent>(1, row - back - row % 7)) + " 1.5\n";
    folder.write("a.mtx", text);
    auto const reader = open_sparse(MtxSource{"a.mtx"}, "A", DType::f64, {n, n}, folder.path());
    for (Extent from : {0, 30'000, 119'000}) {
        Box const rows{{from, 0}, {1000, n}};
        CAPTURE(kind, from);
        Box const hull = reader->hull(rows);
        CHECK(rows.contains(hull));
        CHECK(reader->listed(hull) == reader->listed(rows));
        CHECK(hull.length[1] < 5000);
    }
}

TEST_CASE("all cores make the index that one pass makes, and tell the first fault", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    Shape const shape{30'000, 50'000};
    constexpr int count = 1'300'000;  // 16 MiB, in four parts
    std::string const kind = GENERATE("general", "symmetric");
    bool const in_order = GENERATE(true, false);
    std::vector<std::string> lines{"%%MatrixMarket matrix coordinate real " + kind,
                                   kind == "general" ? "30000 50000 1300000" : "50000 50000 1300000"};
    for (int k = 0; k < count; ++k) {
        int const row = in_order ? k / 50 : k * 7 % 30'000;
        lines.push_back(std::to_string(row + 1) + " " + std::to_string(k % 50 * (row / 50 + 1) + 1) + " 1");
        if (k % 1000 == 0) lines.emplace_back("% comment");
    }
    Shape const whole = kind == "general" ? shape : Shape{50'000, 50'000};
    auto const written = [&] {
        std::string text;
        for (std::string const& line : lines) text += line + "\n";
        return folder.write("a.mtx", text);
    };
    std::string const file = written();
    auto const opened = [&](int second) {  // as another file: nothing is known of it
        timespec const then[2]{{second, 0}, {second, 0}};
        ::utimensat(AT_FDCWD, file.c_str(), then, 0);
        return open_sparse(MtxSource{"a.mtx"}, "A", DType::f64, whole, folder.path());
    };
    CAPTURE(kind, in_order);
    auto const by_one = opened(1), by_all = opened(2);
    std::vector<Box> const boxes{Box::whole(whole), {{0, 0}, {700, 900}}, {{20'000, 3}, {5'000, 20'000}}};
    by_one->prepare(boxes);
    for (Box const& box : boxes) CHECK(by_all->listed(box) == by_one->listed(box));
    CHECK(by_all->histogram() == by_one->histogram());

    std::size_t const damaged = 1'200'000, later = 1'250'000;
    lines[damaged] = "1 x 1", lines[later] = "1 y 1";
    written();
    auto const found = faults_of([&] { opened(3)->listed(Box::whole(whole)); });
    REQUIRE(found.size() == 1);
    CHECK(found[0].where == "line " + std::to_string(damaged + 1));
}

TEST_CASE("what was read as often as it was announced is read again from the file", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    std::string text = "%%MatrixMarket matrix coordinate real general\n1000 1000 600000\n";
    for (int k = 0; k < 600'000; ++k)
        text += std::to_string(k / 600 + 1) + " " + std::to_string(k % 600 + 1) + " " + std::to_string(k % 7) + "\n";
    folder.write("a.mtx", text);
    auto const reader = open_sparse(MtxSource{"a.mtx"}, "A", DType::f64, {1000, 1000}, folder.path());
    Box const box{{100, 0}, {300, 1000}};
    reader->prepare(std::vector<Box>{box, box});
    SparseLayout const layout = in_order(2);
    std::vector<std::byte> first(static_cast<std::size_t>(sparse_bytes(layout, box.length, DType::f64, 180'000)));
    CHECK(reader->listed(box) == 180'000);
    reader->read(box, layout, first);
    for (int again = 0; again < 3; ++again) {
        std::vector<std::byte> next(first.size());
        CHECK(reader->read(box, layout, next) == static_cast<std::int64_t>(first.size()));
        CHECK(next == first);
    }
}

TEST_CASE("headers of files say what the tensor is", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    folder.write("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 4 1\n1 1\n");
    auto const contents = contents_of(MtxSource{"a.mtx"}, "A", folder.path());
    REQUIRE(contents);
    CHECK(contents->shape == Shape{3, 4});
    CHECK(may_be_read_as(MtxSource{"a.mtx"}, contents->dtype, DType::f32));
    CHECK_FALSE(may_be_read_as(MtxSource{"a.mtx"}, DType::c128, DType::f32));
    CHECK_FALSE(may_be_read_as(MtxSource{"a.mtx"}, DType::f64, DType::i32));
    CHECK(left_out_dtype(MtxSource{"a.mtx"}, DType::f64, DType::f32) == DType::f32);
    CHECK(left_out_dtype(MtxSource{"a.mtx"}, DType::c128, DType::f32) == DType::c128);
    CHECK(left_out_dtype(ScipySource{"a.npz"}, DType::f64, DType::f32) == DType::f64);
    CHECK(left_out_dtype(ScipySource{"a.npz"}, DType::i64, DType::f32) == DType::i64);
    CHECK(left_out_dtype(ScipySource{"a.npz"}, DType::f32, DType::f64) == DType::f32);
    CHECK(left_out_dtype(ScipySource{"a.npz"}, DType::f32, DType::bf16) == DType::bf16);
    CHECK(std::holds_alternative<MtxSource>(source_for_file("x/A.MTX", "A")));
    CHECK(std::holds_alternative<TnsSource>(source_for_file("A.tns", "A")));
}
