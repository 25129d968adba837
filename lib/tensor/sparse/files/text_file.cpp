#include <algorithm>
#include <complex>
#include <cstring>
#include <span>
#include <string>

#include "lib/base/error.hpp"
#include "lib/base/threads/once.hpp"
#include "lib/base/threads/parallel.hpp"
#include "lib/tensor/formats/file_kind.hpp"
#include "lib/tensor/sparse/files/sparse_files.hpp"
#include "lib/tensor/sparse/files/text_index.hpp"
#include "lib/tensor/storage/recent_cache.hpp"
#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

/// The number that stands at the mirrored place.
template <class T>
T mirrored(T value, Symmetry symmetry) {
    if (symmetry == Symmetry::symmetric) return value;
    if constexpr (std::is_same_v<T, std::complex<double>>)
        return symmetry == Symmetry::hermitian ? std::conj(value) : -value;
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return static_cast<T>(-static_cast<std::uint64_t>(value));
    else
        return -value;
}

template <class T>
void mirror_values(ListedElements& entries, std::vector<std::size_t> const& places, Symmetry symmetry) {
    std::size_t at = entries.values.size();
    entries.values.resize(at + places.size() * sizeof(T));
    for (std::size_t place : places) {
        T value;
        std::memcpy(&value, entries.values.data() + place * sizeof value, sizeof value);
        value = mirrored(value, symmetry);
        std::memcpy(entries.values.data() + at, &value, sizeof value);
        at += sizeof value;
    }
}

/// Adds those that a symmetric matrix has on the other side of the diagonal.
void mirror(ListedElements& entries, TextFormat const& format) {
    std::vector<Extent>&rows = entries.coords[0], &columns = entries.coords[1];
    std::vector<std::size_t> places;
    std::size_t const count = rows.size();
    for (std::size_t e = 0; e < count; ++e) {
        if (rows[e] == columns[e]) continue;
        places.push_back(e);
        rows.push_back(columns[e]);
        columns.push_back(rows[e]);
    }
    switch (format.dtype()) {
        case DType::c128: return mirror_values<std::complex<double>>(entries, places, format.symmetry);
        case DType::f64: return mirror_values<double>(entries, places, format.symmetry);
        default: return mirror_values<std::int64_t>(entries, places, format.symmetry);
    }
}

void set_hull(TextChunk& chunk, ListedElements const& written) {
    if (chunk.lines == 0) return;
    for (std::vector<Extent> const& axis : written.coords) {
        auto const [least, most] = std::minmax_element(axis.begin(), axis.end());
        chunk.least.push_back(*least);
        chunk.most.push_back(*most);
    }
}

Box hull_of(TextChunk const& chunk) {
    Box hull{chunk.least, chunk.most};
    for (std::size_t axis = 0; axis < hull.order(); ++axis) hull.length[axis] += 1 - hull.begin[axis];
    return hull;
}

Box transposed(Box box) {
    std::swap(box.begin[0], box.begin[1]);
    std::swap(box.length[0], box.length[1]);
    return box;
}

bool meet(Box const& a, Box const& b) {
    for (std::size_t axis = 0; axis < a.order(); ++axis)
        if (a.begin[axis] >= b.end(axis) || b.begin[axis] >= a.end(axis)) return false;
    return true;
}

constexpr char const* tns_kind = "a FROSTT file: on each line an element's indices, from 1, and its value";

class TextStream final : public EntryStream {
public:
    TextStream(std::shared_ptr<FileStorage const> file, TextFormat format)
        : file_(std::move(file)), format_(std::move(format)), parser_(format_, file_->name()) {}

    std::string const& name() const override { return file_->name(); }
    std::uint64_t bytes() const override { return file_->size(); }
    DType dtype() const override { return format_.dtype(); }
    bool lists_all() const override { return format_.lists_all; }

    void visit(std::span<Box const> boxes, Sink const& sink, Expect const& expect) const override {
        bool visited = false;
        find_index([&](ListedElements const& batch) {
            visited = true;
            sink(batch);
        });
        if (visited) return;
        std::vector<Extent> most(boxes.size(), 0);
        for (TextChunk const& chunk : index_->chunks) {
            if (chunk.entries == 0) continue;
            Box const hull = hull_of(chunk);
            for (std::size_t b = 0; b < boxes.size(); ++b)
                if (touches(hull, boxes[b])) most[b] += chunk.entries;
        }
        expect(most);
        Scratch scratch;
        for (TextChunk const& chunk : index_->chunks) {
            if (chunk.entries == 0) continue;
            Box const hull = hull_of(chunk);
            if (std::any_of(boxes.begin(), boxes.end(), [&](Box const& box) { return touches(hull, box); }))
                sink(read_again(chunk, scratch));
        }
    }

    Survey const& survey() const override {
        find_index(nullptr);
        return index_->survey;
    }

    Extent entries(Box const& box) const override {
        survey();
        Extent count = 0;
        Scratch scratch;
        for (TextChunk const& chunk : index_->chunks) {
            if (chunk.entries == 0) continue;
            Box const hull = hull_of(chunk);
            if (box.contains(hull) && (!is_mirrored() || box.contains(transposed(hull))))
                count += chunk.entries;
            else if (touches(hull, box))
                count += count_inside(read_again(chunk, scratch), dtype(), box);
        }
        return count;
    }

    Box hull(Box const& box) const override {
        survey();
        IndexSpan span(box.order());
        for (TextChunk const& chunk : index_->chunks) {
            if (chunk.entries == 0) continue;
            Box const hull = hull_of(chunk);
            span.add(intersection(hull, box));
            if (is_mirrored()) span.add(intersection(transposed(hull), box));
        }
        return span.box(box.begin);
    }

private:
    struct Scratch {
        std::string text;
        ListedElements entries;
    };

    bool is_mirrored() const { return format_.symmetry != Symmetry::general; }
    bool touches(Box const& hull, Box const& box) const {
        return meet(hull, box) || (is_mirrored() && meet(transposed(hull), box));
    }

    /// The index: of this process, of the cache folder, or made now, which gives all entries to `sink`; without one
    /// all cores make it.
    void find_index(Sink const& sink) const {
        static RecentCache<TextIndexKey, TextIndex> recent(16);
        indexed_([&] {
            TextIndexKey const key{file_->identity(), format_};
            index_ = recent.find_or_make(key, [&] {
                if (std::optional<TextIndex> kept = load_index(key))
                    return std::make_shared<TextIndex const>(std::move(*kept));
                auto made = std::make_shared<TextIndex const>(sink ? make_index(sink) : make_index_together());
                save_index(key, *made);
                return made;
            });
        });
    }

    /// A part of the file, or all of it, as it is looked through.
    struct Pass {
        std::vector<TextChunk> chunks;
        SurveyMaker survey;
        TextPlace place;  // behind the last chunk
        std::string text;
        ListedElements written, all;
    };
    Pass begin_pass(TextPlace place) const {
        return {{}, {format_.shape, is_mirrored() ? Mirrored::yes : Mirrored::no, format_.entries}, place, "", {}, {}};
    }

    /// @return the entries of lines from `at` on, which moves behind them, at most to `end`
    ListedElements const& read_chunk(Pass& pass, std::uint64_t& at, std::uint64_t end) const {
        TextChunk chunk{.begin = at, .end = 0, .place = pass.place, .lines = 0, .entries = 0, .least = {}, .most = {}};
        read_lines(at, pass.text, pass.place.line, end);
        chunk.end = at;
        pass.place = parser_.parse(pass.text, pass.place, pass.written);
        if (is_mirrored()) {
            pass.all = pass.written;
            mirror(pass.all, format_);
        }
        ListedElements const& batch = is_mirrored() ? pass.all : pass.written;
        chunk.lines = pass.written.count(dtype());
        chunk.entries = batch.count(dtype());
        set_hull(chunk, pass.written);
        pass.chunks.push_back(std::move(chunk));
        pass.survey.add(pass.written, batch, batch.count(dtype()));
        return batch;
    }

    TextIndex make_index(Sink const& sink) const {
        Pass pass = begin_pass({format_.line, 0});
        for (std::uint64_t at = format_.begin; at < file_->size();) {
            ListedElements const& batch = read_chunk(pass, at, file_->size());
            if (sink) sink(batch);
        }
        return finish_index(std::move(pass));
    }

    /// By all cores. Where a value lies in an array depends on all before it; and of a damaged file the first fault is
    /// told, with its line: these are looked through from begin to end.
    TextIndex make_index_together() const {
        std::uint64_t const bytes = file_->size() - std::min(format_.begin, file_->size());
        if (format_.lists_all || bytes < 4 * tuning::text_chunk) return make_index(nullptr);
        std::uint64_t const step = std::max<std::uint64_t>(4 * tuning::text_chunk, bytes / tuning::most_index_parts);
        try {
            std::vector<std::uint64_t> begins{format_.begin};
            while (file_->size() - begins.back() > step) begins.push_back(line_from(begins.back() + step));
            begins.push_back(file_->size());
            auto const passes = for_each_in_parallel(begins.size() - 1, [&](std::size_t part) {
                auto pass = std::make_unique<Pass>(begin_pass({0, 0}));
                for (std::uint64_t at = begins[part]; at < begins[part + 1];) read_chunk(*pass, at, begins[part + 1]);
                pass->text = {}, pass->written = {}, pass->all = {};  // others are still to come
                return pass;
            });
            Pass all = begin_pass({format_.line, 0});
            for (std::unique_ptr<Pass> const& pass : passes) append(all, std::move(*pass));
            return finish_index(std::move(all));
        } catch (InputError const&) {
            return make_index(nullptr);
        }
    }

    static void append(Pass& all, Pass&& next) {
        for (TextChunk& chunk : next.chunks) {
            chunk.place.line += all.place.line;
            chunk.place.entries += all.place.entries;
            all.chunks.push_back(std::move(chunk));
        }
        all.place.line += next.place.line;
        all.place.entries += next.place.entries;
        all.survey.append(next.survey);
    }

    /// Where the first line begins that begins behind `at`, or the file ends.
    std::uint64_t line_from(std::uint64_t at) const {
        std::string text;
        for (; at < file_->size(); at += text.size()) {
            text.resize(static_cast<std::size_t>(std::min<std::uint64_t>(file_->size() - at, 4096)));
            file_->read_at(at, std::as_writable_bytes(std::span(text)));
            if (std::size_t const end = text.find('\n'); end != std::string::npos) return at + end + 1;
        }
        return file_->size();
    }

    TextIndex finish_index(Pass pass) const {
        TextPlace const place = pass.place;
        if (format_.entries.value_or(place.entries) != place.entries)
            fail_at_line(name(), place.line - 1,
                         std::to_string(*format_.entries) + (format_.lists_all ? " values" : " listed elements") +
                             ", as the sizes at line " + std::to_string(format_.line - 1) + " say",
                         "the file's end after " + std::to_string(place.entries),
                         place.entries > *format_.entries ? "write " + std::to_string(place.entries) +
                                                                " there, or remove the lines that are too many"
                                                          : "the file is cut short or damaged: copy or write it again");
        return {std::move(pass.chunks), pass.survey.finish()};
    }

    /// Whole lines from `at` on, which moves behind them, up to `end`: a line's, or the file's.
    void read_lines(std::uint64_t& at, std::string& text, Extent line, std::uint64_t end) const {
        std::uint64_t const left = end - at;
        text.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, tuning::text_chunk)));
        file_->read_at(at, std::as_writable_bytes(std::span(text)));
        std::size_t const last = text.rfind('\n');
        if (text.size() == left) {
            at += left;
            if (text.back() != '\n') text += '\n';
        } else if (last != std::string::npos) {
            text.resize(last + 1);
            at += text.size();
        } else {
            fail_at_line(name(), line, "a line of less than 1 MiB", "a longer one", "correct or write the file again");
        }
    }

    ListedElements const& read_again(TextChunk const& chunk, Scratch& scratch) const {
        scratch.text.resize(static_cast<std::size_t>(chunk.end - chunk.begin));
        file_->read_at(chunk.begin, std::as_writable_bytes(std::span(scratch.text)));
        if (scratch.text.empty() || scratch.text.back() != '\n') scratch.text += '\n';
        parser_.parse(scratch.text, chunk.place, scratch.entries);
        if (scratch.entries.count(dtype()) != chunk.lines)
            fail_at_line(
                name(), chunk.place.line, std::to_string(chunk.lines) + " listed elements from here on, as before",
                std::to_string(scratch.entries.count(dtype())), "do not change input files while they are being read");
        if (is_mirrored()) mirror(scratch.entries, format_);
        return scratch.entries;
    }

    std::shared_ptr<FileStorage const> file_;
    TextFormat format_;
    EntryParser parser_;
    mutable Once indexed_;
    mutable std::shared_ptr<TextIndex const> index_;
};

}  // namespace

std::unique_ptr<SparseReader> list_mtx(MtxSource const& source, SparseWanted const& wanted) {
    auto file = open_for(wanted, source.file);
    TextFormat format = read_mtx_header(*file);
    check_contents(file->name(), source, wanted, format.dtype(), format.shape);
    return list_file(std::make_unique<TextStream>(std::move(file), std::move(format)), wanted);
}

FileContents mtx_contents(MtxSource const& source, Asker const& asker) {
    TextFormat const format = read_mtx_header(*open_for(asker, source.file));
    return {format.dtype(), format.shape};
}

namespace {

/// Whether the first line is indices, whole numbers, and a value.
bool begins_with_indices(Storage const& file, char between) {
    constexpr std::uint64_t enough = 200;
    std::string line(static_cast<std::size_t>(std::min(enough, file.size())), '\0');
    file.read_at(0, std::as_writable_bytes(std::span(line)));
    line.resize(std::min(line.find('\n'), line.size()));
    std::size_t const last = line.rfind(between);
    return last != std::string::npos && line.find_first_not_of(std::string("0123456789 ") + between) >= last;
}

/// Elements with commas between their numbers are no rows of a matrix.
void refuse_no_tns(Storage const& file) {
    auto const kind = file.size() == 0 ? std::nullopt : file_kind(file);
    if (kind && (kind->between == ',' || kind->between == ';') && begins_with_indices(file, kind->between))
        throw InputError(Fault{file.name(), "", tns_kind, found_text(*kind),
                               std::string("put spaces between them: tr '") + kind->between + "' ' ' < FILE > NEW"});
    refuse_no_words(file, tns_kind);
}

}  // namespace

void check_tns(TnsSource const& source, Asker const& asker) { refuse_no_tns(*open_for(asker, source.file)); }

std::unique_ptr<SparseReader> list_tns(TnsSource const& source, SparseWanted const& wanted) {
    auto file = open_for(wanted, source.file);
    refuse_no_tns(*file);
    return list_file(std::make_unique<TextStream>(std::move(file), tns_format(wanted.shape, wanted.dtype)), wanted);
}

}  // namespace ein::tensor
