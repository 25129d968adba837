#include "executor/device/cpu/past_cache.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/cpu/machine.hpp"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace ein::executor {
namespace {

constexpr std::size_t line = machine::cache_line;

#ifdef __SSE2__
[[gnu::target("avx512f")]] void stream_lines_at_once(std::byte* to, std::byte const* from, std::size_t bytes) {
    for (; bytes > 0; to += line, from += line, bytes -= line)
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
}

void stream_lines(std::byte* to, std::byte const* from, std::size_t bytes) {
    for (; bytes > 0; to += 16, from += 16, bytes -= 16)
        _mm_stream_si128(reinterpret_cast<__m128i*>(to), _mm_loadu_si128(reinterpret_cast<__m128i const*>(from)));
}

/// @param to  at the beginning of a line  @param bytes  whole lines
void copy_lines(std::byte* to, std::byte const* from, std::size_t bytes) {
    static bool const at_once = instruction_set() == InstructionSet::avx512;
    (at_once ? stream_lines_at_once : stream_lines)(to, from, bytes);
}
#else
void copy_lines(std::byte* to, std::byte const* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
#endif

}  // namespace

void copy_past_cache(void* to, void const* from, std::size_t bytes) {
    auto* target = static_cast<std::byte*>(to);
    auto const* source = static_cast<std::byte const*>(from);
    std::size_t const before = std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(to) % line) % line);
    std::size_t const whole = (bytes - before) / line * line;
    std::memcpy(target, source, before);
    copy_lines(target + before, source + before, whole);
    std::memcpy(target + before + whole, source + before + whole, bytes - before - whole);
}

void finish_past_cache() {
#ifdef __SSE2__
    _mm_sfence();
#endif
}

}  // namespace ein::executor
