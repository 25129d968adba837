// A library to be preloaded (LD_PRELOAD): the n-th call of a kind that the program makes fails, or does half of its
// work.
//   EIN_FAULT=KIND:N          which one; none: only counts
//   EIN_FAULT_RANK=R          only in the process of this rank (Open MPI's number); none: in all
//   EIN_FAULT_COUNTS=FOLDER   each process leaves its counts there when it ends, as FOLDER/PID: a line "KIND COUNT"
// Calls count where the program or the C++ library makes them, not where MPI does; reads and writes only those of
// regular files. Kinds: see `names`. Example: EIN_FAULT=enospc:3 einplan g.json -n 2 finds the disk full at its third
// write.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

namespace {

enum Kind {
    short_read,
    short_write,
    eintr_read,
    eintr_write,
    eio_read,
    eio_write,
    enospc,
    eio_close,
    eio_fsync,
    eio_open,
    eio_rename,
    no_memory,
    no_thread,
    clock_jump,
    kinds
};
constexpr char const* names[kinds] = {"short_read", "short_write", "eintr_read", "eintr_write", "eio_read",
                                      "eio_write",  "enospc",      "eio_close",  "eio_fsync",   "eio_open",
                                      "eio_rename", "no_memory",   "no_thread",  "clock_jump"};

std::atomic<long> calls[kinds];
std::atomic<bool> ready{false};
int wanted = -1;
long wanted_call = 0;
thread_local bool inside = false;  // what we call ourselves does not count

template <class Function>
Function next(char const* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// Whether the code at this address is the program's own or the C++ library's.
bool is_ours(void* address) {
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return false;
    char const* const slash = std::strrchr(info.dli_fname, '/');
    char const* const file = slash == nullptr ? info.dli_fname : slash + 1;
    return std::strstr(file, ".so") == nullptr || std::strncmp(file, "libstdc++", 9) == 0;
}

bool is_file(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

/// Counts a call. @return whether this is the one that fails
bool fails(Kind kind, void* caller, int descriptor = -1) {
    if (!ready.load(std::memory_order_acquire) || inside) return false;
    inside = true;
    int const error = errno;
    bool const counts = is_ours(caller) && (descriptor < 0 || is_file(descriptor));
    bool const now = counts && ++calls[kind] == wanted_call && kind == wanted;
    errno = error;
    inside = false;
    return now;
}

void leave_counts() {
    char const* const folder = std::getenv("EIN_FAULT_COUNTS");
    ready = false;
    if (folder == nullptr) return;
    char path[4096];
    std::snprintf(path, sizeof path, "%s/%d", folder, static_cast<int>(getpid()));
    std::FILE* const out = std::fopen(path, "w");
    if (out == nullptr) return;
    for (int kind = 0; kind < kinds; ++kind) std::fprintf(out, "%s %ld\n", names[kind], calls[kind].load());
    std::fclose(out);
}

__attribute__((constructor)) void begin() {
    char const* const fault = std::getenv("EIN_FAULT");
    char const* const rank = std::getenv("EIN_FAULT_RANK");
    char const* const mine = std::getenv("OMPI_COMM_WORLD_RANK");
    bool const here = rank == nullptr || (mine != nullptr && std::strcmp(rank, mine) == 0);
    if (fault != nullptr && here) {
        char const* const colon = std::strchr(fault, ':');
        for (int kind = 0; colon != nullptr && kind < kinds; ++kind)
            if (std::strncmp(fault, names[kind], static_cast<std::size_t>(colon - fault)) == 0 &&
                names[kind][colon - fault] == '\0')
                wanted = kind, wanted_call = std::atol(colon + 1);
    }
    Dl_info info;
    dladdr(reinterpret_cast<void*>(&begin), &info);  // dladdr's own memory is made before anything counts
    std::atexit(leave_counts);
    ready.store(true, std::memory_order_release);
}

ssize_t failed(int error) {
    errno = error;
    return -1;
}

std::size_t half(std::size_t count) { return count > 1 ? count / 2 : count; }

#define CALLER __builtin_return_address(0)

bool reading_fails(int descriptor, std::size_t& count, void* caller) {
    if (fails(eintr_read, caller, descriptor)) return failed(EINTR), true;
    if (fails(eio_read, caller, descriptor)) return failed(EIO), true;
    if (fails(short_read, caller, descriptor)) count = half(count);
    return false;
}

bool writing_fails(int descriptor, std::size_t& count, void* caller) {
    if (fails(eintr_write, caller, descriptor)) return failed(EINTR), true;
    if (fails(eio_write, caller, descriptor)) return failed(EIO), true;
    if (fails(enospc, caller, descriptor)) return failed(ENOSPC), true;
    if (fails(short_write, caller, descriptor)) count = half(count);
    return false;
}

}  // namespace

extern "C" {

ssize_t read(int descriptor, void* into, std::size_t count) {
    static auto const real = next<ssize_t (*)(int, void*, std::size_t)>("read");
    return reading_fails(descriptor, count, CALLER) ? -1 : real(descriptor, into, count);
}
ssize_t pread(int descriptor, void* into, std::size_t count, off_t at) {
    static auto const real = next<ssize_t (*)(int, void*, std::size_t, off_t)>("pread");
    return reading_fails(descriptor, count, CALLER) ? -1 : real(descriptor, into, count, at);
}
ssize_t pread64(int descriptor, void* into, std::size_t count, off64_t at) {
    static auto const real = next<ssize_t (*)(int, void*, std::size_t, off64_t)>("pread64");
    return reading_fails(descriptor, count, CALLER) ? -1 : real(descriptor, into, count, at);
}
ssize_t write(int descriptor, void const* from, std::size_t count) {
    static auto const real = next<ssize_t (*)(int, void const*, std::size_t)>("write");
    return writing_fails(descriptor, count, CALLER) ? -1 : real(descriptor, from, count);
}
ssize_t pwrite(int descriptor, void const* from, std::size_t count, off_t at) {
    static auto const real = next<ssize_t (*)(int, void const*, std::size_t, off_t)>("pwrite");
    return writing_fails(descriptor, count, CALLER) ? -1 : real(descriptor, from, count, at);
}
ssize_t pwrite64(int descriptor, void const* from, std::size_t count, off64_t at) {
    static auto const real = next<ssize_t (*)(int, void const*, std::size_t, off64_t)>("pwrite64");
    return writing_fails(descriptor, count, CALLER) ? -1 : real(descriptor, from, count, at);
}
ssize_t writev(int descriptor, iovec const* from, int count) {
    static auto const real = next<ssize_t (*)(int, iovec const*, int)>("writev");
    auto parts = static_cast<std::size_t>(count);
    if (writing_fails(descriptor, parts, CALLER)) return -1;
    return real(descriptor, from, static_cast<int>(parts));
}
int close(int descriptor) {
    static auto const real = next<int (*)(int)>("close");
    bool const now = fails(eio_close, CALLER, descriptor);
    int const result = real(descriptor);
    return now ? static_cast<int>(failed(EIO)) : result;
}
int fsync(int descriptor) {
    static auto const real = next<int (*)(int)>("fsync");
    return fails(eio_fsync, CALLER, descriptor) ? static_cast<int>(failed(EIO)) : real(descriptor);
}
int open(char const* path, int flags, ...) {
    static auto const real = next<int (*)(char const*, int, mode_t)>("open");
    __builtin_va_list rest;
    __builtin_va_start(rest, flags);
    mode_t const mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? __builtin_va_arg(rest, mode_t) : 0;
    __builtin_va_end(rest);
    return fails(eio_open, CALLER) ? static_cast<int>(failed(EIO)) : real(path, flags, mode);
}
int rename(char const* from, char const* to) {
    static auto const real = next<int (*)(char const*, char const*)>("rename");
    return fails(eio_rename, CALLER) ? static_cast<int>(failed(EIO)) : real(from, to);
}
int pthread_create(pthread_t* thread, pthread_attr_t const* attributes, void* (*run)(void*), void* argument) {
    static auto const real =
        next<int (*)(pthread_t*, pthread_attr_t const*, void* (*)(void*), void*)>("pthread_create");
    return fails(no_thread, CALLER) ? EAGAIN : real(thread, attributes, run, argument);
}
int clock_gettime(clockid_t clock, timespec* time) {
    static auto const real = next<int (*)(clockid_t, timespec*)>("clock_gettime");
    static std::atomic<long> ahead{0};
    int const result = real(clock, time);
    if (clock != CLOCK_REALTIME) return result;  // the other clocks never jump
    if (fails(clock_jump, CALLER)) ahead = calls[clock_jump] % 2 == 0 ? 3600 : -3600;
    time->tv_sec += ahead;
    return result;
}

void* mi_malloc(std::size_t size) {  // einplan's `new`
    static auto const real = next<void* (*)(std::size_t)>("mi_malloc");
    return fails(no_memory, CALLER) ? nullptr : real(size);
}

}  // extern "C"

void* operator new(std::size_t size) {
    if (fails(no_memory, CALLER)) throw std::bad_alloc();
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
