#include <chrono>
#include <cstdlib>

#include "lib/base/error.hpp"
#include "lib/base/files/cache_folder.hpp"
#include "lib/base/files/replaced_file.hpp"
#include "lib/base/hash.hpp"
#include "lib/base/text/hex.hpp"
#include "lib/tensor/sparse/files/text_index.hpp"
#include "lib/tensor/storage/held_file.hpp"
#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

constexpr std::uint64_t magic = 0x31584549534e4945;  // "EINSIEX1": the form of this file; change it with the form

std::span<std::uint8_t const> bytes_of(std::string_view text) {
    return {reinterpret_cast<std::uint8_t const*>(text.data()), text.size()};
}

/// An index file is words, the last one a checksum of those before it.
class Words {
public:
    void put(std::uint64_t word) { words_.push_back(word); }
    void put(Extent word) { words_.push_back(static_cast<std::uint64_t>(word)); }
    void put(std::vector<Extent> const& list) {
        put(static_cast<std::uint64_t>(list.size()));
        for (Extent word : list) put(word);
    }
    std::string finish() {
        put(checksum(words_));
        return {reinterpret_cast<char const*>(words_.data()), words_.size() * 8};
    }
    static std::uint64_t checksum(std::span<std::uint64_t const> words) {
        return hash_bytes({reinterpret_cast<std::uint8_t const*>(words.data()), words.size_bytes()}, magic);
    }

private:
    std::vector<std::uint64_t> words_;
};

/// Reads them back; `good` is false once something is not there, or is more than can be.
class WordReader {
public:
    explicit WordReader(std::vector<std::uint64_t> words) : words_(std::move(words)) {
        good_ = words_.size() > 1 && Words::checksum(std::span(words_).first(words_.size() - 1)) == words_.back();
    }
    std::uint64_t word() {
        good_ = good_ && at_ + 1 < words_.size();
        return good_ ? words_[at_++] : 0;
    }
    Extent extent() { return static_cast<Extent>(word()); }
    std::uint64_t count() {  // of things of a word or more each
        std::uint64_t const count = word();
        good_ = good_ && count <= words_.size() - at_;
        return good_ ? count : 0;
    }
    std::vector<Extent> list() {
        std::vector<Extent> out(count());
        for (Extent& value : out) value = extent();
        return out;
    }
    bool good() const { return good_; }
    bool ended() const { return good_ && at_ + 1 == words_.size(); }

private:
    std::vector<std::uint64_t> words_;
    std::size_t at_ = 0;
    bool good_ = true;
};

/// What a file and the way it is read come to.
std::vector<Extent> key_words(TextIndexKey const& key) {
    TextFormat const& format = key.format;
    std::vector<Extent> out{static_cast<Extent>(hash_bytes(bytes_of(key.file.path), 1)),
                            static_cast<Extent>(hash_bytes(bytes_of(key.file.path), 2)),
                            static_cast<Extent>(key.file.device),
                            static_cast<Extent>(key.file.inode),
                            static_cast<Extent>(key.file.size),
                            key.file.modified,
                            static_cast<Extent>(format.field),
                            static_cast<Extent>(format.symmetry),
                            format.lists_all,
                            format.is_unsigned,
                            format.takes_whole_reals,
                            format.entries.value_or(-1),
                            format.comment,
                            static_cast<Extent>(format.begin),
                            format.line};
    out.insert(out.end(), format.shape.begin(), format.shape.end());
    return out;
}

std::filesystem::path index_path(CacheFolder const& folder, TextIndexKey const& key) {
    return folder.path() / ("entries-" + text_hash(key.file.path) + ".index");
}

/// A file that changed within the clock's steps may change again and keep its time.
bool is_settled(FileIdentity const& file) {
    auto const now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::nanoseconds(now).count() - file.modified > 2'000'000'000;
}

bool is_kept(TextIndexKey const& key) { return key.file.size >= tuning::least_indexed_bytes; }

std::optional<TextIndex> read_index(WordReader& in, TextIndexKey const& key) {
    if (in.word() != magic || in.list() != key_words(key)) return std::nullopt;
    TextIndex out;
    out.survey.entries = in.extent();
    out.survey.distinct = in.word() != 0;
    out.survey.histogram.cells = in.list();
    out.survey.histogram.counts = in.list();
    std::uint64_t const chunks = in.count();
    for (std::uint64_t k = 0; k < chunks && in.good(); ++k) {
        TextChunk chunk;
        chunk.begin = in.word();
        chunk.end = in.word();
        chunk.place = {in.extent(), in.extent()};
        chunk.lines = in.extent();
        chunk.entries = in.extent();
        chunk.least = in.list();
        chunk.most = in.list();
        out.chunks.push_back(std::move(chunk));
    }
    if (!in.ended()) return std::nullopt;
    return out;
}

}  // namespace

std::optional<TextIndex> load_index(TextIndexKey const& key) {
    CacheFolder const folder(std::getenv);
    if (!is_kept(key) || folder.path().empty() || !folder.refusal().empty()) return std::nullopt;
    try {
        HeldFile const file(index_path(folder, key));
        if (file.size() % 8 != 0 || file.size() > key.file.size) return std::nullopt;
        std::vector<std::uint64_t> words(static_cast<std::size_t>(file.size() / 8));
        file.read_at(0, std::as_writable_bytes(std::span(words)));
        WordReader in(std::move(words));
        if (!in.good()) return std::nullopt;
        return read_index(in, key);
    } catch (Error const&) {
        return std::nullopt;
    }
}

void save_index(TextIndexKey const& key, TextIndex const& index) {
    CacheFolder const folder(std::getenv);
    if (!is_kept(key) || !is_settled(key.file) || !folder.make()) return;
    Words out;
    out.put(magic);
    out.put(key_words(key));
    out.put(index.survey.entries);
    out.put(std::uint64_t{index.survey.distinct});
    out.put(index.survey.histogram.cells);
    out.put(index.survey.histogram.counts);
    out.put(static_cast<std::uint64_t>(index.chunks.size()));
    for (TextChunk const& chunk : index.chunks) {
        out.put(chunk.begin);
        out.put(chunk.end);
        out.put(chunk.place.line);
        out.put(chunk.place.entries);
        out.put(chunk.lines);
        out.put(chunk.entries);
        out.put(chunk.least);
        out.put(chunk.most);
    }
    try {
        ReplacedFile("", index_path(folder, key)).write(out.finish());
    } catch (Error const&) {  // the next run looks through the file again
    }
}

}  // namespace ein::tensor
