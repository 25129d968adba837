#include "lib/relation/listed_elements.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <tuple>

#include "lib/base/threads/mutex.hpp"
#include "lib/tensor/sparse/sparse_reader.hpp"

namespace ein::relation {
namespace {

namespace fs = std::filesystem;

/// Readers of the sparse leaves, and what they have counted.
class Counts {
public:
    void add(ValueId value, std::unique_ptr<tensor::SparseReader> reader) { readers_[value] = std::move(reader); }
    /// As many elements as the graph says, wherever they are.
    void add(ValueId value, Extent most, Shape const& shape) {
        said_[value] = {most,
                        static_cast<double>(most) / static_cast<double>(std::max<Extent>(1, element_count(shape)))};
    }
    bool empty() const { return readers_.empty() && said_.empty(); }

    double expected(ValueId value, Box const& box) {
        auto const most = static_cast<double>(listed(value, box));
        auto const said = said_.find(value);
        return said == said_.end() ? most : std::min(most, said->second.share * static_cast<double>(box.elements()));
    }

    Extent listed(ValueId value, Box const& box) {
        if (auto const said = said_.find(value); said != said_.end())
            return std::min(said->second.most, box.elements());
        auto const reader = readers_.find(value);
        if (reader == readers_.end()) return box.elements();
        {
            MutexLock const lock(mutex_);
            if (auto const known = counted_.find({value, box}); known != counted_.end()) return known->second;
        }
        Extent const count = reader->second->listed(box);  // two threads may count the same
        MutexLock const lock(mutex_);
        counted_.emplace(std::pair(value, box), count);
        return count;
    }

    Box hull(ValueId value, Box const& box) {
        auto const reader = readers_.find(value);
        if (reader == readers_.end()) return box;
        {
            MutexLock const lock(mutex_);
            if (auto const known = hulls_.find({value, box}); known != hulls_.end()) return known->second;
        }
        Box hull = reader->second->hull(box);
        MutexLock const lock(mutex_);
        return hulls_.emplace(std::pair(value, box), std::move(hull)).first->second;
    }

    std::vector<Extent> fibres(ValueId value, Box const& box, std::vector<int> const& axes) {
        auto const reader = readers_.find(value);
        if (reader == readers_.end()) return {};
        auto const key = std::tuple(value, box, axes);
        {
            MutexLock const lock(mutex_);
            if (auto const known = fibres_.find(key); known != fibres_.end()) return known->second;
        }
        Shape lengths;
        for (int axis : axes) lengths.push_back(box.length[at(axis)]);
        std::vector<Extent> counts(static_cast<std::size_t>(element_count(lengths)), 0);
        tensor::ListedElements const elements = reader->second->elements(box);
        std::size_t const listed = elements.count(reader->second->dtype());
        for (std::size_t e = 0; e < listed; ++e) {
            Extent place = 0;
            for (std::size_t k = 0; k < axes.size(); ++k)
                place = place * lengths[k] + elements.coords[at(axes[k])][e] - box.begin[at(axes[k])];
            ++counts[static_cast<std::size_t>(place)];
        }
        MutexLock const lock(mutex_);
        return fibres_.emplace(key, std::move(counts)).first->second;
    }

private:
    struct Said {
        Extent most = 0;
        double share = 0;  // of all places
    };

    std::map<ValueId, std::unique_ptr<tensor::SparseReader>> readers_;
    std::map<ValueId, Said> said_;
    Mutex mutex_;
    std::map<std::pair<ValueId, Box>, Extent> counted_ EIN_GUARDED_BY(mutex_);
    std::map<std::pair<ValueId, Box>, Box> hulls_ EIN_GUARDED_BY(mutex_);
    std::map<std::tuple<ValueId, Box, std::vector<int>>, std::vector<Extent>> fibres_ EIN_GUARDED_BY(mutex_);
};

/// What keeps a source from being counted now; empty: nothing.
std::string absent(tensor::Source const& source, fs::path const& folder) {
    if (std::holds_alternative<tensor::MissingSource>(source)) return "it has no data yet";
    std::string const* const file = tensor::file_of(source);
    std::error_code error;
    return file != nullptr && !fs::exists(folder / *file, error) ? "'" + *file + "' is not there yet" : "";
}

/// A first line of a tns file that is its shape and how many lines follow, as other formats have one.
std::string size_line(tensor::Source const& source, fs::path const& folder, Shape const& shape, Extent listed) {
    auto const* const tns = std::get_if<tensor::TnsSource>(&source);
    if (tns == nullptr || shape.empty()) return "";
    std::ifstream file(folder / tns->file);
    std::string line;
    while (std::getline(file, line) && (line.empty() || line.front() == '#')) {
    }
    std::istringstream words(line);
    double number = 0;
    for (Extent const extent : shape)
        if (!(words >> number) || number != static_cast<double>(extent)) return "";
    bool const counts = words >> number && number == static_cast<double>(listed - 1);
    return counts ? "the first line of '" + tns->file + "', " + line +
                        ", is its shape and the number of lines behind it, and is read as an element, as the format "
                        "has it; remove that line if it is none"
                  : "";
}

}  // namespace

ListedElements count_listed(graph::EinGraph& graph, fs::path const& folder) {
    ListedElements out;
    auto const counts = std::make_shared<Counts>();
    for (graph::Leaf const& leaf : graph.leaves) {
        graph::Value& value = graph.values[at(leaf.value)];
        if (!value.listing) continue;
        if (value.listing->most != graph::Listing{}.most) {
            value.listing->most = std::min(value.listing->most, element_count(value.shape));
            value.listing->listed = static_cast<double>(value.listing->most);
            counts->add(leaf.value, value.listing->most, value.shape);
            continue;
        }
        if (std::string const why = absent(leaf.source, folder); !why.empty()) {
            out.warnings.push_back(
                "tensor '" + value.name + "' is sparse and cannot be counted, " + why +
                ": room for all its elements is taken; say how many it lists at most, \"listed\": ...");
            continue;
        }
        counts->add(leaf.value, tensor::open_sparse(leaf.source, value.name, value.dtype, value.shape, folder,
                                                    value.listing->fill));
        Extent const listed = counts->listed(leaf.value, Box::whole(value.shape));
        value.listing->listed = static_cast<double>(listed);
        value.listing->most = listed;
        if (std::string text = size_line(leaf.source, folder, value.shape, listed); !text.empty())
            out.warnings.push_back("tensor '" + value.name + "': " + text);
    }
    if (counts->empty()) return out;
    out.in_box = [counts](ValueId value, Box const& box) { return counts->listed(value, box); };
    out.expected = [counts](ValueId value, Box const& box) { return counts->expected(value, box); };
    out.hull = [counts](ValueId value, Box const& box) { return counts->hull(value, box); };
    out.fibres = [counts](ValueId value, Box const& box, std::vector<int> const& axes) {
        return counts->fibres(value, box, axes);
    };
    return out;
}

}  // namespace ein::relation
