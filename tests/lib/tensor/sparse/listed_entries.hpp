// Entries drawn for tests, written as each format has them, and the tensor that they are.
#pragma once

#include <random>
#include <string>

#include "lib/tensor/formats/npy_header.hpp"
#include "tests/lib/tensor/sparse/sparse_samples.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/lib/tensor/zip_maker.hpp"

namespace ein::samples {

struct Entries {
    Shape shape;
    std::vector<std::vector<Extent>> at;
    std::vector<int> values;
};

enum class Order { none, by_rows, by_columns };
enum class Twice { never, sometimes };

/// `count` entries; whole numbers, so that sums are exact. Twice::never: fewer where places are drawn again.
inline Entries draw_entries(Shape const& shape, int count, Order order, Twice twice, std::mt19937& random) {
    Entries out{shape, {}, {}};
    for (int k = 0; k < count && element_count(shape) > 0; ++k) {
        std::vector<Extent> index;
        for (Extent extent : shape) index.push_back(static_cast<Extent>(random() % static_cast<std::uint32_t>(extent)));
        out.at.push_back(index);
        if (twice == Twice::sometimes && random() % 4 == 0) out.at.push_back(index);
    }
    auto by_columns = [](std::vector<Extent> const& a, std::vector<Extent> const& b) {
        return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
    };
    if (order == Order::by_columns)
        std::sort(out.at.begin(), out.at.end(), by_columns);
    else
        std::sort(out.at.begin(), out.at.end());
    if (twice == Twice::never) out.at.erase(std::unique(out.at.begin(), out.at.end()), out.at.end());
    if (order == Order::none) std::shuffle(out.at.begin(), out.at.end(), random);
    for (std::size_t k = 0; k < out.at.size(); ++k) out.values.push_back(static_cast<int>(random() % 9) - 4);
    return out;
}

inline Extent place_of(std::vector<Extent> const& index, Shape const& shape) {
    std::vector<Extent> const strides = row_major_strides(shape);
    Extent at = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) at += index[axis] * strides[axis];
    return at;
}

/// Added up; mirrored with this sign where it is not 0.
inline tensor::HostTensor dense_of(Entries const& entries, DType dtype, int mirror_sign = 0) {
    std::vector<double> sums(static_cast<std::size_t>(element_count(entries.shape)));
    for (std::size_t k = 0; k < entries.at.size(); ++k) {
        std::vector<Extent> index = entries.at[k];
        sums[static_cast<std::size_t>(place_of(index, entries.shape))] += entries.values[k];
        if (mirror_sign == 0 || index[0] == index[1]) continue;
        std::swap(index[0], index[1]);
        sums[static_cast<std::size_t>(place_of(index, entries.shape))] += mirror_sign * entries.values[k];
    }
    tensor::HostTensor out(dtype, entries.shape);
    for (std::size_t k = 0; k < sums.size(); ++k)
        out.set(static_cast<Extent>(k),
                scalar::convert(scalar::Scalar::of(std::complex<double>(sums[k])), DType::c128, dtype));
    return out;
}

/// Lines of coordinates from 1 and values, with space and comments here and there.
inline std::string lines_of(Entries const& entries, bool values, char comment, std::mt19937& random) {
    constexpr char const* spaces[]{" ", "  ", "\t", " \t "};
    constexpr char const* ends[]{"\n", "\r\n", " \n", "\n\n", "\n  \r\n"};
    std::string out;
    for (std::size_t k = 0; k < entries.at.size(); ++k) {
        if (random() % 16 == 0) out += std::string(1, comment) + " a comment 1 1 1\n";
        if (random() % 8 == 0) out += "  ";
        for (std::size_t axis = 0; axis < entries.shape.size(); ++axis)
            out += (axis ? spaces[random() % 4] : "") + std::to_string(entries.at[k][axis] + 1);
        if (values) {
            if (!entries.shape.empty()) out += spaces[random() % 4];
            out += (entries.values[k] >= 0 && random() % 8 == 0 ? "+" : "") + std::to_string(entries.values[k]);
        }
        out += random() % 8 == 0 ? ends[random() % 5] : "\n";
    }
    return out;
}

inline std::string mtx_of(Entries const& entries, std::string const& kind, std::mt19937& random) {
    bool const values = kind.find("pattern") == std::string::npos;
    return "%%MatrixMarket matrix coordinate " + kind + "\n% a comment\n\n" + std::to_string(entries.shape[0]) + " " +
           std::to_string(entries.shape[1]) + " " + std::to_string(entries.at.size()) + "\n" +
           lines_of(entries, values, '%', random);
}

inline std::string npy_text(DType dtype, Shape const& shape, std::string const& bytes) {
    return tensor::npy_header(dtype, shape) + bytes;
}

template <class Number>
std::string npy_numbers(DType dtype, Shape const& shape, std::vector<Extent> const& values) {
    std::string bytes;
    for (Extent value : values) {
        auto const number = static_cast<Number>(value);
        bytes.append(reinterpret_cast<char const*>(&number), sizeof number);
    }
    return npy_text(dtype, shape, bytes);
}

/// As scipy.sparse.save_npz writes it: coo (row, col), coords, csr or csc, with indices of this type.
inline std::string scipy_of(Entries const& entries, std::string const& format, DType index, Packing packing) {
    ZipMaker zip(packing, ZipSizes::bits32);
    auto const count = static_cast<Extent>(entries.at.size());
    auto add = [&](std::string const& name, Shape const& shape, std::vector<Extent> const& values, DType dtype) {
        zip.add(name + ".npy", dtype == DType::i32   ? npy_numbers<std::int32_t>(dtype, shape, values)
                               : dtype == DType::i64 ? npy_numbers<std::int64_t>(dtype, shape, values)
                                                     : npy_numbers<double>(dtype, shape, values));
    };
    std::vector<std::size_t> order(entries.at.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::size_t const major = format == "csc" ? 1 : 0;
    if (format == "csr" || format == "csc") {
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return entries.at[a][major] < entries.at[b][major]; });
        std::vector<Extent> offsets(static_cast<std::size_t>(entries.shape[major]) + 1), minor;
        for (std::size_t k : order) {
            minor.push_back(entries.at[k][1 - major]);
            ++offsets[static_cast<std::size_t>(entries.at[k][major]) + 1];
        }
        std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
        add("indices", {count}, minor, index);
        add("indptr", {entries.shape[major] + 1}, offsets, index);
    } else {
        std::vector<Extent> all;
        for (std::size_t axis = 0; axis < entries.shape.size(); ++axis) {
            std::vector<Extent> one;
            for (std::vector<Extent> const& at : entries.at) one.push_back(at[axis]);
            if (format == "coo") add(axis == 0 ? "row" : "col", {count}, one, index);
            all.insert(all.end(), one.begin(), one.end());
        }
        if (format == "coords") add("coords", {static_cast<Extent>(entries.shape.size()), count}, all, index);
    }
    if (format != "coords")
        zip.add("format.npy", std::string("\x93NUMPY\1\0", 8) + std::string("\x38\0", 2) +
                                  "{'descr': '|S3', 'fortran_order': False, 'shape': (), }\n" + format);
    add("shape", {static_cast<Extent>(entries.shape.size())}, entries.shape, DType::i64);
    std::vector<Extent> values;
    for (std::size_t k : order) values.push_back(entries.values[k]);
    add("data", {count}, values, DType::f64);
    return zip.finish();
}

}  // namespace ein::samples
