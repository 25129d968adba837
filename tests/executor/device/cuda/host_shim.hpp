// CUDA C++ on the CPU, for tests: put before a prelude and sources, this text makes them compile with g++ -shared
// -fPIC. A kernel NAME becomes
//     extern "C" int run_NAME(void** args, unsigned const* grid, unsigned const* block, unsigned shared_bytes);
//     extern "C" std::size_t argument_bytes_of_NAME();
// with args as for cuLaunchKernel; 0 is success. The threads of a block run as fibers, one at a time until each waits
// at a barrier or a shuffle, in turns forwards and backwards from block to block so that missing barriers show. A
// result of 1 means that some threads wait at a barrier that others never reach. It is compiled alone (as the generated
// text is) and therefore includes what it needs; it is no part of the product.
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace host_shim {

struct Dim3 {
    unsigned x = 1, y = 1, z = 1;
};

enum class Waits { nothing, for_warp, for_block, has_ended };

#if defined(__x86_64__)
/// Saves the registers that a call keeps on this stack, and goes on where `to` was saved.
extern "C" void host_shim_switch(void** save, void* to);
__asm__(
    ".text\n.local host_shim_switch\n.type host_shim_switch,@function\nhost_shim_switch:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n  movq %rsi, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n  ret\n");
#endif

constexpr std::size_t stack_bytes = 64 << 10, warp_threads = 32;

class Block;
inline thread_local Block* running = nullptr;

struct Thread {
    Dim3 index;
    Waits waits = Waits::nothing;
#if defined(__x86_64__)
    void* stack = nullptr;
#else
    ucontext_t context;
#endif
};

/// The threads of one block.
class Block {
public:
    Block(Dim3 block, void (*entry)(void*), void* argument)
        : count_(block.x * block.y * block.z),
          entry_(entry),
          argument_(argument),
          threads_(count_),
          stacks_(static_cast<char*>(std::aligned_alloc(64, count_ * stack_bytes))),
          slots_(count_) {
        for (std::size_t t = 0; t < count_; ++t)
            threads_[t].index = {static_cast<unsigned>(t) % block.x, static_cast<unsigned>(t) / block.x % block.y,
                                 static_cast<unsigned>(t) / block.x / block.y};
    }
    ~Block() { std::free(stacks_); }
    Block(Block const&) = delete;

    /// @return whether every thread came to its end
    bool run(bool backwards) {
        running = this;
        for (std::size_t t = 0; t < count_; ++t) prepare(t);
        while (true) {
            for (std::size_t step = 0; step < count_; ++step) {
                std::size_t const t = backwards ? count_ - 1 - step : step;
                if (threads_[t].waits == Waits::nothing) resume(t);
            }
            if (all(0, count_, Waits::has_ended)) return true;
            if (!release()) return false;
        }
    }

    void wait(Waits reason) {
        threads_[current_].waits = reason;
        leave();
    }

    Thread& thread() { return threads_[current_]; }
    std::size_t current() const { return current_; }
    /// What a thread of this warp gives to the others.
    std::uint64_t& slot(std::size_t lane) { return slots_[current_ / warp_threads * warp_threads + lane]; }
    std::size_t warp_size() const {
        std::size_t const first = current_ / warp_threads * warp_threads;
        return count_ - first < warp_threads ? count_ - first : warp_threads;
    }

private:
    bool all(std::size_t first, std::size_t last, Waits reason) const {
        for (std::size_t t = first; t < last; ++t)
            if (threads_[t].waits != reason) return false;
        return true;
    }

    /// Threads that all wait for one another go on.
    bool release() {
        bool released = false;
        for (std::size_t first = 0; first < count_; first += warp_threads) {
            std::size_t const last = first + warp_threads < count_ ? first + warp_threads : count_;
            if (!all(first, last, Waits::for_warp)) continue;
            for (std::size_t t = first; t < last; ++t) threads_[t].waits = Waits::nothing;
            released = true;
        }
        if (released || !all(0, count_, Waits::for_block)) return released;
        for (Thread& thread : threads_) thread.waits = Waits::nothing;
        return true;
    }

    static void begin() {
        Block& block = *running;
        block.entry_(block.argument_);
        block.wait(Waits::has_ended);
    }

#if defined(__x86_64__)
    void prepare(std::size_t t) {
        auto* top = reinterpret_cast<void**>(stacks_ + (t + 1) * stack_bytes) - 2;  // aligned as after a call
        top[0] = reinterpret_cast<void*>(&begin);
        top[1] = nullptr;
        for (int k = 0; k < 6; ++k) *--top = nullptr;
        threads_[t].stack = top;
        threads_[t].waits = Waits::nothing;
    }
    void resume(std::size_t t) {
        current_ = t;
        host_shim_switch(&scheduler_, threads_[t].stack);
    }
    void leave() { host_shim_switch(&threads_[current_].stack, scheduler_); }
    void* scheduler_ = nullptr;
#else
    void prepare(std::size_t t) {
        getcontext(&threads_[t].context);
        threads_[t].context.uc_stack.ss_sp = stacks_ + t * stack_bytes;
        threads_[t].context.uc_stack.ss_size = stack_bytes;
        makecontext(&threads_[t].context, &Block::begin, 0);
        threads_[t].waits = Waits::nothing;
    }
    void resume(std::size_t t) {
        current_ = t;
        swapcontext(&scheduler_, &threads_[t].context);
    }
    void leave() { swapcontext(&threads_[current_].context, &scheduler_); }
    ucontext_t scheduler_;
#endif

    std::size_t count_, current_ = 0;
    void (*entry_)(void*);
    void* argument_;
    std::vector<Thread> threads_;
    char* stacks_;
    std::vector<std::uint64_t> slots_;
};

inline thread_local Dim3 block_index, block_size, grid_size;

inline int run_grid(void (*entry)(void*), void* argument, unsigned const* grid, unsigned const* block) {
    grid_size = {grid[0], grid[1], grid[2]};
    block_size = {block[0], block[1], block[2]};
    Block threads(block_size, entry, argument);
    bool backwards = false;
    for (unsigned z = 0; z < grid[2]; ++z)
        for (unsigned y = 0; y < grid[1]; ++y)
            for (unsigned x = 0; x < grid[0]; ++x) {
                block_index = {x, y, z};
                if (!threads.run(backwards)) return 1;
                backwards = !backwards;
            }
    return 0;
}

/// What thread `lane` of the warp gives: every thread of the warp calls this.
template <class T>
T from_lane(T value, std::size_t lane) {
    static_assert(sizeof(T) <= 8);
    std::memcpy(&running->slot(running->current() % warp_threads), &value, sizeof(T));
    running->wait(Waits::for_warp);
    T taken = value;
    if (lane < running->warp_size()) std::memcpy(&taken, &running->slot(lane), sizeof(T));
    running->wait(Waits::for_warp);
    return taken;
}

}  // namespace host_shim

#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static thread_local
#define __launch_bounds__(threads)
#define threadIdx (::host_shim::running->thread().index)
#define blockIdx (::host_shim::block_index)
#define blockDim (::host_shim::block_size)
#define gridDim (::host_shim::grid_size)

#define EIN_ENTRY(name, threads, Arguments)                                                                            \
    static void name##_thread(Arguments const& a);                                                                     \
    extern "C" int run_##name(void** args, unsigned const* grid, unsigned const* block, unsigned) {                    \
        return ::host_shim::run_grid([](void* a) { name##_thread(*static_cast<Arguments const*>(a)); }, args[0], grid, \
                                     block);                                                                           \
    }                                                                                                                  \
    extern "C" std::size_t argument_bytes_of_##name() { return sizeof(Arguments); }                                    \
    static void name##_thread(Arguments const& a)

inline void __syncthreads() { host_shim::running->wait(host_shim::Waits::for_block); }
inline void __syncwarp(unsigned = ~0u) { host_shim::running->wait(host_shim::Waits::for_warp); }
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
    return host_shim::from_lane(value, (host_shim::running->current() % 32) ^ static_cast<std::size_t>(mask));
}
template <class T>
T __shfl_down_sync(unsigned, T value, unsigned by) {
    return host_shim::from_lane(value, host_shim::running->current() % 32 + by);
}
template <class T>
T __shfl_sync(unsigned, T value, int lane) {
    return host_shim::from_lane(value, static_cast<std::size_t>(lane));
}
inline unsigned __ballot_sync(unsigned, int predicate) {
    host_shim::Block& block = *host_shim::running;
    block.slot(block.current() % host_shim::warp_threads) = predicate != 0;
    block.wait(host_shim::Waits::for_warp);
    unsigned mask = 0;
    for (std::size_t lane = 0; lane < block.warp_size(); ++lane)
        mask |= static_cast<unsigned>(block.slot(lane)) << lane;
    block.wait(host_shim::Waits::for_warp);
    return mask;
}
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits)); }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>((std::uint64_t{a} * b) >> 32); }
inline unsigned __float_as_uint(float x) {
    unsigned bits;
    std::memcpy(&bits, &x, 4);
    return bits;
}
inline float __uint_as_float(unsigned bits) {
    float x;
    std::memcpy(&x, &bits, 4);
    return x;
}
inline long long __double_as_longlong(double x) {
    long long bits;
    std::memcpy(&bits, &x, 8);
    return bits;
}
inline double __longlong_as_double(long long bits) {
    double x;
    std::memcpy(&x, &bits, 8);
    return x;
}
/// Whoever reads what it marks without waiting for a fence has time to do so, where a test says so.
inline int atomicCAS(int* at, int expected, int value) {
    int const held = *at;
    if (held == expected) *(int volatile*)at = value;
    if (std::getenv("FAKE_CUDA_SLOW_ATOMICS") != nullptr) usleep(100000);
    return held;
}
inline void __threadfence_system() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline int atomicAdd(int* at, int value) {
    int const held = *at;
    *at += value;
    return held;
}
inline float rsqrtf(float x) { return static_cast<float>(1 / std::sqrt(static_cast<double>(x))); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline double normcdf(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }
inline float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
