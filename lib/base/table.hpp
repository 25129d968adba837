// A list whose elements are known by an id of their own: blocks by BlockId, never by TaskId.
// Example: Table<BlockId, Block> blocks; BlockId const b = blocks.add({...}); blocks[b].readers = 1.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "lib/base/ids.hpp"

namespace ein {

/// Ids one after another: for (BlockId block : blocks.ids()). By hand, because <ranges> is dear in a header of
/// everyone.
template <class IdType>
class IdRange {
    using Rep = decltype(std::declval<IdType>().value());

public:
    class iterator {
    public:
        using value_type = IdType;
        using difference_type = std::ptrdiff_t;
        using reference = IdType;
        using pointer = void;
        using iterator_category = std::input_iterator_tag;

        explicit iterator(Rep value = 0) : value_(value) {}
        IdType operator*() const { return IdType{value_}; }
        iterator& operator++() { return ++value_, *this; }
        iterator operator++(int) { return iterator(value_++); }
        friend bool operator==(iterator, iterator) = default;

    private:
        Rep value_;
    };

    explicit IdRange(Rep end) : end_(end) {}
    iterator begin() const { return iterator(0); }
    iterator end() const { return iterator(end_); }

private:
    Rep end_;
};

template <class IdType, class Value>
class Table {
public:
    Table() = default;
    explicit Table(std::size_t count, Value const& value = Value()) : list_(count, value) {}
    explicit Table(std::vector<Value> list) : list_(std::move(list)) {}

    decltype(auto) operator[](IdType id) { return list_[at(id)]; }
    decltype(auto) operator[](IdType id) const { return list_[at(id)]; }
    bool has(IdType id) const { return id.value() >= 0 && at(id) < list_.size(); }
    /// Appends. @return the id of what was appended
    IdType add(Value value) {
        list_.push_back(std::move(value));
        return last();
    }
    IdType last() const { return IdType{static_cast<Rep>(list_.size()) - 1}; }
    /// The id after the last.
    IdType end_id() const { return IdType{static_cast<Rep>(list_.size())}; }
    /// All ids in order.
    IdRange<IdType> ids() const { return IdRange<IdType>(static_cast<Rep>(list_.size())); }

    std::size_t size() const { return list_.size(); }
    bool empty() const { return list_.empty(); }
    void reserve(std::size_t count) { list_.reserve(count); }
    void resize(std::size_t count) { list_.resize(count); }
    void assign(std::size_t count, Value const& value) { list_.assign(count, value); }
    void clear() { list_.clear(); }
    auto begin() { return list_.begin(); }
    auto end() { return list_.end(); }
    auto begin() const { return list_.begin(); }
    auto end() const { return list_.end(); }
    decltype(auto) back() { return list_.back(); }
    decltype(auto) back() const { return list_.back(); }
    std::vector<Value>& list() { return list_; }
    std::vector<Value> const& list() const { return list_; }
    friend bool operator==(Table const&, Table const&) = default;

private:
    using Rep = decltype(std::declval<IdType>().value());
    std::vector<Value> list_;
};

}  // namespace ein
