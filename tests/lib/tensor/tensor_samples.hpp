// Tensors to write and read, and the slow way to take a box out of one.
#pragma once

#include <algorithm>
#include <cstring>
#include <random>

#include "lib/base/error.hpp"
#include "lib/tensor/read.hpp"

namespace ein::samples {

/// Bytes that are different everywhere, valid for every dtype (bool is 0 or 1).
inline tensor::HostTensor sample(DType dtype, Shape const& shape, unsigned seed = 1) {
    tensor::HostTensor out(dtype, shape);
    std::mt19937 random(seed);
    for (std::byte& byte : out.bytes())
        byte = static_cast<std::byte>(dtype == DType::boolean ? random() % 2 : random() % 256);
    return out;
}

/// The elements of `box`, one by one.
inline std::vector<std::byte> take(tensor::HostTensor const& whole, Box const& box) {
    std::size_t const size = size_of(whole.dtype());
    auto const strides = row_major_strides(whole.shape());
    std::vector<std::byte> out;
    for_each_index(box.length, [&](std::vector<Extent> const& index) {
        Extent at = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) at += (box.begin[axis] + index[axis]) * strides[axis];
        auto const first = whole.bytes().begin() + at * static_cast<Extent>(size);
        out.insert(out.end(), first, first + static_cast<Extent>(size));
    });
    return out;
}

inline Box random_box(Shape const& shape, std::mt19937& random) {
    Box box = Box::whole(shape);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (random() % 3 == 0) continue;  // whole axes are merged: have some
        box.begin[axis] = static_cast<Extent>(random() % static_cast<unsigned>(shape[axis] + 1));
        box.length[axis] = static_cast<Extent>(random() % static_cast<unsigned>(shape[axis] - box.begin[axis] + 1));
    }
    return box;
}

/// The first of `count` random boxes that `reader` reads otherwise than `whole` has it, or "".
inline std::string wrong_box(tensor::Reader const& reader, tensor::HostTensor const& whole, int count, unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < count; ++i) {
        Box const box = i == 0 ? Box::whole(whole.shape()) : random_box(whole.shape(), random);
        std::vector<std::byte> out(static_cast<std::size_t>(box.elements()) * size_of(whole.dtype()), std::byte{0xcd});
        reader.read(box, out);
        if (out != take(whole, box)) return to_string(box);
    }
    return "";
}

/// The elements in Fortran order.
inline std::string fortran_bytes(tensor::HostTensor const& whole) {
    Shape const reversed(whole.shape().rbegin(), whole.shape().rend());
    auto const strides = row_major_strides(whole.shape());
    std::size_t const size = size_of(whole.dtype());
    std::string out;
    for_each_index(reversed, [&](std::vector<Extent> const& index) {
        Extent at = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) at += index[index.size() - 1 - axis] * strides[axis];
        out.append(reinterpret_cast<char const*>(whole.bytes().data()) + static_cast<std::size_t>(at) * size, size);
    });
    return out;
}

inline std::string swapped(std::string bytes, std::size_t number_bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += number_bytes)
        std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                     bytes.begin() + static_cast<std::ptrdiff_t>(i + number_bytes));
    return bytes;
}

/// A .npy file's beginning, made by hand; `dictionary` without padding.
inline std::string header(std::string const& dictionary, int version = 1) {
    std::string out = "\x93NUMPY";
    out += static_cast<char>(version);
    out += '\0';
    std::size_t const length = dictionary.size() + 1;
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) out += static_cast<char>((length >> (8 * i)) & 0xff);
    return out + dictionary + "\n";
}

inline std::string header(std::string const& descr, bool fortran, Shape const& shape) {
    return header("{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                  ", 'shape': " + to_string(shape) + ", }");
}

/// The faults of `act`, which must throw InputError.
template <class Act>
std::vector<Fault> faults_of(Act&& act) {
    try {
        act();
    } catch (InputError const& error) {
        return error.faults();
    }
    return {};
}

}  // namespace ein::samples
