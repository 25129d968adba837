#include "executor/device/cpu/sparse/merge_loops.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <type_traits>
#include <vector>

#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/cpu/sparse_products/pair_row_loops.hpp"
#include "executor/device/cpu/sparse_products/row_loops.hpp"
#include "tests/support/catch.hpp"

using namespace ein::executor;

namespace {

template <class Key>
std::vector<MergeLoops<Key>> loops_of_this_machine() {
    std::vector<MergeLoops<Key>> all{baseline::merge_loops<Key>()};
#ifdef EIN_X86_LOOPS
    if (instruction_set() != InstructionSet::baseline) all.push_back(avx2::merge_loops<Key>());
    if (instruction_set() == InstructionSet::avx512) all.push_back(avx512::merge_loops<Key>());
#endif
    return all;
}

/// Results of columns that are put in order have the bits of those that are combined where their columns lie.
template <class T, class Part>
void compare_columns(PairRowLoops<T> const& loops) {
    constexpr std::uint32_t few = PairRowLoops<T>::few, columns = 20;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> real(-1, 1);
    std::vector<T> factors(few), values(few), results(few), scattered(columns, loops.none);
    std::vector<std::uint32_t> keys(few), found(few);
    for (std::uint32_t n = 0; n < few; ++n) {
        keys[n] = static_cast<std::uint32_t>(random() % columns) * few + n;
        for (T* const to : {&factors[n], &values[n]})
            for (Part* part = reinterpret_cast<Part*>(to); part < reinterpret_cast<Part*>(to + 1); ++part)
                *part = static_cast<Part>(1000 * real(random));
        std::uint32_t const column = keys[n] / few;
        loops.scatter(scattered.data(), &column, &values[n], 1, factors[n]);
    }
    std::sort(keys.begin(), keys.end());
    std::size_t const count =
        loops.combine_columns(keys.data(), few, factors.data(), values.data(), found.data(), results.data());
    REQUIRE(count <= columns);
    for (std::size_t i = 0; i < count; ++i) CHECK(std::memcmp(&results[i], &scattered[found[i]], sizeof(T)) == 0);
}

template <class T>
std::vector<PairRowLoops<T>> pair_loops_of_this_machine(PairJoin join, PairAgg agg) {
    std::vector<PairRowLoops<T>> all{baseline::pair_row_loops<T>(join, agg)};
#ifdef EIN_X86_LOOPS
    if (instruction_set() != InstructionSet::baseline) all.push_back(avx2::pair_row_loops<T>(join, agg));
    if (instruction_set() == InstructionSet::avx512) all.push_back(avx512::pair_row_loops<T>(join, agg));
#endif
    return all;
}

/// Products of short rows, one by one and by the loops that list many.
template <class T>
void compare_lists() {
    constexpr unsigned column_bits = 9, number_bits = PairRowLoops<T>::number_bits;
    std::mt19937 random(3);
    std::vector<std::uint64_t> begins{2}, offsets{0};
    std::vector<std::uint32_t> terms(2), columns;
    std::vector<T> of_elements, values;
    for (std::size_t const count : {3, 0, 20, 1, 0, 17, 2})
        for (std::size_t b = offsets.emplace_back(offsets.back() + count); b > columns.size();) {
            columns.push_back(static_cast<std::uint32_t>(random() % 512));
            values.push_back(T(static_cast<float>(columns.size())));
        }
    for (std::size_t const count : {0, 2, 1, 0, 3}) {
        begins.push_back(begins.back() + count);
        for (std::size_t e = 0; e < count; ++e) {
            terms.push_back(static_cast<std::uint32_t>(random() % (offsets.size() - 1)));
            of_elements.push_back(T(static_cast<float>(terms.size())));
        }
    }
    std::vector<std::uint32_t> tagged;
    std::vector<T> factors, met;
    for (std::uint32_t row = 0; row + 1 < begins.size(); ++row)
        for (std::uint64_t e = begins[row]; e < begins[row + 1]; ++e)
            for (std::uint64_t b = offsets[terms[e]]; b < offsets[terms[e] + 1]; ++b) {
                tagged.push_back(row << column_bits | columns[b]);
                factors.push_back(of_elements[e - begins[0]]);
                met.push_back(values[b]);
            }
    for (PairRowLoops<T> const& loops : pair_loops_of_this_machine<T>(PairJoin::multiply, PairAgg::sum)) {
        if (loops.list_columns == nullptr) continue;
        std::vector<std::uint32_t> keys(loops.few + loops.padding);
        std::vector<T> to_factors(keys.size()), to_values(keys.size());
        for (T const* const of_second : {static_cast<T const*>(values.data()), static_cast<T const*>(nullptr)}) {
            typename PairRowLoops<T>::Rows const rows{begins.data(),  begins.size() - 1, terms.size(), terms.data(),
                                                      offsets.data(), columns.data(),    of_second,    column_bits};
            REQUIRE(loops.list_columns(rows, keys.data()) == tagged.size());
            CHECK(std::equal(tagged.begin(), tagged.end(), keys.begin()));
            REQUIRE(loops.list_products(rows, of_elements.data(), keys.data(), to_factors.data(), to_values.data()) ==
                    tagged.size());
            for (std::uint32_t p = 0; p < tagged.size(); ++p) {
                CHECK(keys[p] == (tagged[p] << number_bits | p));
                CHECK(to_factors[p] == factors[p]);
                CHECK(to_values[p] == (of_second == nullptr ? T(1) : met[p]));
            }
        }
    }
}

/// Who lists which places.
template <class Key>
std::map<Key, unsigned> random_side(std::mt19937& random, std::size_t most, unsigned bits) {
    std::map<Key, unsigned> side;
    std::size_t const count = random() % (most + 1), range = 1 + random() % (2 * most);
    Key const first = static_cast<Key>(random() % 2 == 0 ? 0 : (Key{1} << (8 * sizeof(Key) - 1)) - 2 * most - 2) * 2;
    for (std::size_t i = 0; i < count; ++i)
        side[first + 2 * static_cast<Key>(random() % range)] = bits == 0 ? 1 + random() % 7 : bits;
    return side;
}

template <class Key>
void compare_merges(std::size_t most) {
    std::mt19937 random(static_cast<unsigned>(most));
    constexpr std::size_t padding = MergeLoops<Key>::padding;
    for (int round = 0; round < 300; ++round) {
        unsigned const of_x = round % 2 == 0 ? 0 : 1, of_y = round % 3 == 0 ? 8 : 2;
        auto const x = random_side<Key>(random, most, of_x), y = random_side<Key>(random, most, of_y);
        std::map<Key, unsigned> both = x;
        for (auto const& [key, bits] : y) both[key] |= bits;
        for (MergeLoops<Key> const& loops : loops_of_this_machine<Key>()) {
            std::vector<Key> keys_x, keys_y, keys(x.size() + y.size() + 2 * padding), scratch(keys.size());
            std::vector<unsigned char> listed_x, listed(keys.size());
            for (auto const& [key, bits] : x) {
                keys_x.push_back(key);
                listed_x.push_back(static_cast<unsigned char>(bits));
            }
            for (auto const& [key, bits] : y) keys_y.push_back(key);
            listed_x.push_back(0);
            keys_x.resize(x.size() + padding);
            keys_y.resize(y.size() + padding);
            std::size_t const count = loops.merge({keys_x.data(), x.size(), of_x == 0 ? listed_x.data() : nullptr, 1},
                                                  {keys_y.data(), y.size(), nullptr, static_cast<unsigned char>(of_y)},
                                                  keys.data(), listed.data(), scratch.data());
            std::map<Key, unsigned> found;
            for (std::size_t i = 0; i < count; ++i) found[keys[i]] = listed[i];
            CAPTURE(round, x.size(), y.size());
            REQUIRE(count == both.size());
            REQUIRE(std::is_sorted(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count)));
            REQUIRE(found == both);
        }
    }
}

}  // namespace

TEST_CASE("two sides are merged by each instruction set, few places and many", "[executor][device][sparse]") {
    for (std::size_t const most : {3, 17, 40, 500}) {
        compare_merges<std::uint32_t>(most);
        compare_merges<std::uint64_t>(most);
    }
}

TEST_CASE("values are spread over the places that list them, no element behind the last is read",
          "[executor][device][sparse]") {
    std::mt19937 random(5);
    for (std::size_t const size : {1, 2, 4, 8, 16})
        for (std::size_t const count : {0, 1, 7, 16, 100})
            for (auto const& loops : loops_of_this_machine<std::uint32_t>()) {
                std::vector<unsigned char> listed(count);
                for (unsigned char& bits : listed) bits = static_cast<unsigned char>(random() % 8);
                auto const taken = static_cast<std::size_t>(
                    std::count_if(listed.begin(), listed.end(), [](unsigned char bits) { return (bits & 2) != 0; }));
                std::vector<std::byte> from(taken * size), fill(size, std::byte{99}), to(count * size + 1),
                    expected(count * size + 1);
                for (std::byte& byte : from) byte = static_cast<std::byte>(random() % 90);
                to.back() = expected.back() = std::byte{77};
                std::size_t next = 0;
                for (std::size_t i = 0; i < count; ++i)
                    std::memcpy(expected.data() + i * size,
                                (listed[i] & 2) != 0 ? from.data() + next++ * size : fill.data(), size);
                CAPTURE(size, count);
                REQUIRE(loops.spread(from.data(), listed.data(), 2, fill.data(), count, size, to.data()) == taken);
                REQUIRE(to == expected);
            }
}

TEST_CASE("few keys are put in order, each once", "[executor][device][sparse]") {
    std::mt19937 random(6);
    for (auto const& loops : loops_of_this_machine<std::uint32_t>()) {
        if (loops.distinct == nullptr) continue;
        for (std::size_t count = 0; count <= loops.few; ++count)
            for (unsigned const range : {1u, 5u, 100u, ~0u}) {
                std::vector<std::uint32_t> keys(loops.few);
                for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random()) % range;
                std::set<std::uint32_t> const expected(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count));
                keys.resize(loops.distinct(keys.data(), count));
                CAPTURE(count, range);
                REQUIRE(keys == std::vector<std::uint32_t>(expected.begin(), expected.end()));
            }
    }
}

TEST_CASE("results of columns have the same bits in order and scattered", "[executor][device][sparse]") {
    auto const compare = [](auto of, PairJoin join, PairAgg agg) {
        using T = decltype(of);
        using Part =
            std::conditional_t<std::is_same_v<T, std::uint64_t>, std::int64_t,
                               std::conditional_t<sizeof(T) % 16 == 0 || std::is_same_v<T, double>, double, float>>;
        for (PairRowLoops<T> const& loops : pair_loops_of_this_machine<T>(join, agg)) compare_columns<T, Part>(loops);
    };
    compare(0.0f, PairJoin::multiply, PairAgg::sum);
    compare(0.0, PairJoin::multiply, PairAgg::sum);
    compare(std::uint64_t{0}, PairJoin::multiply, PairAgg::sum);
    compare(Complex<float>(0), PairJoin::multiply, PairAgg::sum);
    compare(Complex<double>(0), PairJoin::multiply, PairAgg::sum);
    for (PairJoin const join : {PairJoin::add, PairJoin::subtract, PairJoin::subtract_from, PairJoin::multiply,
                                PairJoin::distance, PairJoin::square, PairJoin::least, PairJoin::most})
        for (PairAgg const agg : {PairAgg::min, PairAgg::max}) {
            compare(0.0f, join, agg);
            compare(0.0, join, agg);
            compare(std::uint64_t{0}, join, agg);
        }
}

TEST_CASE("rows of products are listed by their rows and columns", "[executor][device][sparse]") {
    compare_lists<float>();
    compare_lists<double>();
    compare_lists<Complex<float>>();
    compare_lists<Complex<double>>();
}

TEST_CASE("the least and the largest of joins of two sparse operands", "[executor][device][sparse]") {
    using Loops = PairRowLoops<std::uint64_t>;
    std::uint32_t const column = 0;
    auto const combined = [&](PairJoin join, PairAgg agg, std::int64_t a, std::int64_t b) {
        Loops const loops = pair_row_loops<std::uint64_t>(join, agg);
        std::uint64_t held = loops.none;
        auto const value = static_cast<std::uint64_t>(b);
        loops.scatter(&held, &column, &value, 1, static_cast<std::uint64_t>(a));
        return static_cast<std::int64_t>(held);
    };
    CHECK(combined(PairJoin::add, PairAgg::min, -3, 1) == -2);
    CHECK(combined(PairJoin::subtract, PairAgg::max, -3, 1) == -4);
    CHECK(combined(PairJoin::subtract_from, PairAgg::max, -3, 1) == 4);
    CHECK(combined(PairJoin::distance, PairAgg::min, -3, 1) == 4);
    CHECK(combined(PairJoin::square, PairAgg::min, -3, 1) == 16);
    CHECK(combined(PairJoin::least, PairAgg::max, -3, 1) == -3);
    CHECK(combined(PairJoin::most, PairAgg::min, -3, 1) == 1);
}
