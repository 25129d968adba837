// Runs a fuzz target without libFuzzer: over every file of a corpus, then over a fixed number of mutations of them.
// The same arguments give the same inputs on every machine: an ordinary test. Looking for new paths is libFuzzer's.
// Example: graph_fuzz tests/fuzz/corpus/graph --mutations 3000 [--seed 1] [--only 17]
// A crash leaves its input in the file "crash-PROGRAM" and names the mutation, to be run alone with --only.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

/// SplitMix64: the same numbers everywhere, unlike the standard library's distributions.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    std::size_t below(std::size_t bound) { return bound == 0 ? 0 : static_cast<std::size_t>(next() % bound); }

private:
    std::uint64_t state_;
};

struct Arguments {
    std::filesystem::path corpus;
    std::uint64_t mutations = 1000;
    std::uint64_t seed = 1;
    long only = -1;  // the one mutation to run, or all
};

Arguments read_arguments(int argc, char** argv) {
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        std::string_view const argument = argv[i];
        bool const has_value = i + 1 < argc;
        if (argument == "--mutations" && has_value)
            arguments.mutations = std::strtoull(argv[++i], nullptr, 10);
        else if (argument == "--seed" && has_value)
            arguments.seed = std::strtoull(argv[++i], nullptr, 10);
        else if (argument == "--only" && has_value)
            arguments.only = std::strtol(argv[++i], nullptr, 10);
        else
            arguments.corpus = argument;
    }
    return arguments;
}

std::vector<Bytes> read_corpus(std::filesystem::path const& folder) {
    std::vector<std::filesystem::path> files;
    for (auto const& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Bytes> inputs;
    for (auto const& file : files) {
        std::ifstream in(file, std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return inputs;
}

// Pieces that parsers treat specially: a random byte alone would seldom make them.
constexpr std::string_view pieces[] = {"{",
                                       "}",
                                       "[",
                                       "]",
                                       "(",
                                       ")",
                                       "\"",
                                       ":",
                                       ",",
                                       "->",
                                       "...",
                                       "\\u0000",
                                       "-1",
                                       "0",
                                       "1e999",
                                       "nan",
                                       "9223372036854775807",
                                       "null",
                                       "true",
                                       "\xff",
                                       "\n",
                                       " ",
                                       "i",
                                       "^",
                                       "where("};
constexpr std::uint8_t edge_bytes[] = {0x00, 0x01, 0x7f, 0x80, 0xff};

void replace_range(Bytes& input, std::size_t begin, std::size_t count, Bytes const& with) {
    auto const first = input.begin() + static_cast<std::ptrdiff_t>(begin);
    input.insert(input.erase(first, first + static_cast<std::ptrdiff_t>(count)), with.begin(), with.end());
}

Bytes some_range(Bytes const& from, Random& random, std::size_t longest) {
    std::size_t const begin = random.below(from.size());
    std::size_t const count = random.below(std::min(longest, from.size() - begin) + 1);
    return {from.begin() + static_cast<std::ptrdiff_t>(begin),
            from.begin() + static_cast<std::ptrdiff_t>(begin + count)};
}

void mutate_once(Bytes& input, std::vector<Bytes> const& corpus, Random& random) {
    std::size_t const place = random.below(input.size() + 1);
    std::size_t const rest = input.size() - place;
    switch (random.below(8)) {
        case 0:  // one bit
            if (rest > 0) input[place] = static_cast<std::uint8_t>(input[place] ^ (1u << random.below(8)));
            break;
        case 1:
            if (rest > 0) input[place] = static_cast<std::uint8_t>(random.next());
            break;
        case 2:  // an edge value over one to eight bytes: lengths and offsets of binary formats
            for (std::size_t i = 0, count = std::min<std::size_t>(rest, std::size_t{1} << random.below(4)); i < count;
                 ++i)
                input[place + i] = edge_bytes[random.below(std::size(edge_bytes))];
            break;
        case 3: replace_range(input, place, random.below(std::min<std::size_t>(rest, 16) + 1), {}); break;
        case 4: replace_range(input, place, rest, {}); break;  // cut short
        case 5: replace_range(input, place, 0, some_range(input, random, 32)); break;
        case 6: replace_range(input, place, 0, some_range(corpus[random.below(corpus.size())], random, 64)); break;
        default: {
            std::string_view const piece = pieces[random.below(std::size(pieces))];
            replace_range(input, place, random.below(std::min<std::size_t>(rest, 4) + 1),
                          Bytes(piece.begin(), piece.end()));
        }
    }
}

/// Mutation `number` depends on the corpus, the seed and the number alone, so any one can be run again by itself.
Bytes mutation(std::vector<Bytes> const& corpus, std::uint64_t seed, std::uint64_t number) {
    Random random(seed * 0x100000001b3u + number);
    Bytes input = corpus[random.below(corpus.size())];
    for (std::size_t i = 0, count = 1 + random.below(6); i < count; ++i) mutate_once(input, corpus, random);
    return input;
}

// What a crash reports: set before each run, read by the signal handler.
char current_name[64];
char crash_file[256];
Bytes const* current_input = nullptr;

void report_crash(int signal) {
    // Only calls that are safe in a signal handler; nothing can be done if they fail.
    [[maybe_unused]] ssize_t done = write(2, current_name, std::char_traits<char>::length(current_name));
    if (current_input != nullptr) {
        int const file = open(crash_file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        done = write(file, current_input->data(), current_input->size());
        close(file);
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void run(Bytes const& input, char const* what, std::uint64_t number) {
    std::snprintf(current_name, sizeof current_name, "crashed in %s %llu\n", what,
                  static_cast<unsigned long long>(number));
    current_input = &input;
    LLVMFuzzerTestOneInput(input.data(), input.size());
    current_input = nullptr;
}

}  // namespace

// Sanitizer builds: end through SIGABRT, so that report_crash names the input it was.
extern "C" char const* __asan_default_options() { return "abort_on_error=1"; }
extern "C" char const* __ubsan_default_options() { return "abort_on_error=1"; }

int main(int argc, char** argv) {
    Arguments const arguments = read_arguments(argc, argv);
    std::vector<Bytes> const corpus =
        std::filesystem::is_directory(arguments.corpus) ? read_corpus(arguments.corpus) : std::vector<Bytes>{};
    if (corpus.empty()) {
        std::fprintf(stderr, "expected a folder with inputs, found none in '%s'\n", arguments.corpus.c_str());
        return 2;
    }
    std::snprintf(crash_file, sizeof crash_file, "crash-%s", std::filesystem::path(argv[0]).filename().c_str());
    for (int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL}) std::signal(signal, report_crash);

    if (arguments.only >= 0) {
        run(mutation(corpus, arguments.seed, static_cast<std::uint64_t>(arguments.only)), "mutation",
            static_cast<std::uint64_t>(arguments.only));
        return 0;
    }
    for (std::size_t i = 0; i < corpus.size(); ++i) run(corpus[i], "corpus file", i);
    for (std::uint64_t i = 0; i < arguments.mutations; ++i) run(mutation(corpus, arguments.seed, i), "mutation", i);
    std::printf("%zu inputs and %llu mutations: none crashed\n", corpus.size(),
                static_cast<unsigned long long>(arguments.mutations));
    return 0;
}
