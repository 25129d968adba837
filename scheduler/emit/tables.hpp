// The header's tables while a schedule is made: kernels, movements, reshapes and fills, each entered once.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "lib/schedule/model/schedule.hpp"

namespace ein::scheduler {

/// Something asked of the tables, and what it got.
struct TableEntry {
    struct Identity {
        std::string node;
        std::size_t order = 0;
    };
    std::variant<schedule::Kernel, schedule::Movement, schedule::ReshapeSpec, schedule::FillSpec, Identity> what;
    std::int32_t id = 0;
};

class Tables {
public:
    explicit Tables(schedule::Header& header) : header_(header) {}

    schedule::KernelId kernel(schedule::Kernel kernel) { return add(header_.kernels, std::move(kernel)); }
    /// Out = in where indices agree, for tensors of `order` axes.
    schedule::MovementId identity_movement(std::string const& node, std::size_t order);
    schedule::MovementId movement(schedule::Movement movement) { return add(header_.movements, std::move(movement)); }
    schedule::ReshapeId reshape(schedule::ReshapeSpec spec) { return add(header_.reshapes, std::move(spec)); }
    schedule::FillId fill(schedule::FillSpec fill) { return add(header_.fills, std::move(fill)); }

    /// Notes what is asked for, an identity once, until stop_noting()
    void note_in(std::vector<TableEntry>& notes) { notes_ = &notes, last_ = nullptr; }
    void stop_noting() { notes_ = nullptr; }

private:
    template <class IdType, class Entry>
    IdType add(Table<IdType, Entry>& table, Entry entry) {
        if (notes_ != nullptr) notes_->push_back({entry, table.end_id().value()});
        return table.add(std::move(entry));
    }
    void note_identity(std::string const& node, std::size_t order, schedule::MovementId id);

    schedule::Header& header_;
    std::vector<TableEntry>* notes_ = nullptr;
    using Identities = std::map<std::pair<std::string, std::size_t>, schedule::MovementId>;
    Identities identities_;
    Identities::value_type const* last_ = nullptr;  // that was asked for, and noted: most are asked for again
};

}  // namespace ein::scheduler
