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

#include "tests/fuzz/mutate.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace {

using ein::fuzz::Bytes;
using ein::fuzz::Random;

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

/// Mutation `number` depends on the corpus, the seed and the number alone, so any one can be run again by itself.
Bytes mutation(std::vector<Bytes> const& corpus, std::uint64_t seed, std::uint64_t number) {
    Random random(seed * 0x100000001b3u + number);
    Bytes input = corpus[random.below(corpus.size())];
    for (std::size_t i = 0, count = 1 + random.below(6); i < count; ++i) {
        Bytes const& other = corpus[random.below(corpus.size())];
        if (random.one_in(2))
            ein::fuzz::mutate_structure(input, other, random);
        else
            ein::fuzz::mutate_bytes(input, other, random);
    }
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
