#include "scheduler/place/assignment.hpp"

#include <limits>

namespace ein::scheduler {
namespace {

constexpr std::size_t nobody = static_cast<std::size_t>(-1);

/// Rows are entered one by one; row_of[c] is the row that has column c. Column `columns` stands for "no column yet".
class Assignment {
public:
    explicit Assignment(std::vector<std::vector<double>> const& weights)
        : weights_(weights),
          columns_(weights.front().size()),
          row_price_(weights.size(), 0),
          column_price_(columns_ + 1, 0),
          row_of_(columns_ + 1, nobody) {}

    void enter(std::size_t row) {
        row_of_[columns_] = row;
        came_from_.assign(columns_ + 1, columns_);
        distance_.assign(columns_ + 1, std::numeric_limits<double>::infinity());
        reached_.assign(columns_ + 1, false);
        std::size_t column = columns_;
        while (row_of_[column] != nobody) column = step(column);
        while (column != columns_) {  // shift rows along the path that was found
            row_of_[column] = row_of_[came_from_[column]];
            column = came_from_[column];
        }
    }

    std::vector<int> columns_of_rows() const {
        std::vector<int> out(weights_.size(), -1);
        for (std::size_t column = 0; column < columns_; ++column)
            if (row_of_[column] != nobody) out[row_of_[column]] = static_cast<int>(column);
        return out;
    }

private:
    /// Relaxes from the row at `from`, which is reached now, and goes to the nearest column that is not.
    std::size_t step(std::size_t from) {
        reached_[from] = true;
        std::size_t const row = row_of_[from];
        double least = std::numeric_limits<double>::infinity();
        std::size_t next = columns_;
        for (std::size_t column = 0; column < columns_; ++column) {
            if (reached_[column]) continue;
            double const slack = -weights_[row][column] - row_price_[row] - column_price_[column];
            if (slack < distance_[column]) {
                distance_[column] = slack;
                came_from_[column] = from;
            }
            if (distance_[column] < least) {
                least = distance_[column];
                next = column;
            }
        }
        for (std::size_t column = 0; column <= columns_; ++column) {
            if (reached_[column]) {
                row_price_[row_of_[column]] += least;
                column_price_[column] -= least;
            } else {
                distance_[column] -= least;
            }
        }
        return next;
    }

    std::vector<std::vector<double>> const& weights_;
    std::size_t columns_;
    std::vector<double> row_price_, column_price_, distance_;
    std::vector<std::size_t> row_of_, came_from_;
    std::vector<bool> reached_;
};

}  // namespace

std::vector<int> assign(std::vector<std::vector<double>> const& weights) {
    if (weights.empty()) return {};
    Assignment assignment(weights);
    for (std::size_t row = 0; row < weights.size(); ++row) assignment.enter(row);
    return assignment.columns_of_rows();
}

}  // namespace ein::scheduler
