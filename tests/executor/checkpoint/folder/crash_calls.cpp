// A library to be preloaded (LD_PRELOAD) into a program that writes files: at its n-th call that changes files or opens
// one, the process is killed, or the call fails. Calls count from 1 over all kinds together.
//   EIN_CRASH=WHAT:N       before, after: killed then; half: killed when half of the bytes are written; enospc, eio,
//                          erofs: the call does nothing but say so
//   EIN_CRASH_LOG=FILE     a line for each call: "CALL PATH"; for a rename "rename FROM TO"
// Example: EIN_CRASH=after:7 checkpoint_saver DIR 2 is killed when its seventh call is done.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum What { nothing, before, after, half, enospc, eio, erofs };
constexpr char const* names[] = {"", "before", "after", "half", "enospc", "eio", "erofs"};

What what = nothing;
long wanted = 0, calls = 0;
int log_file = -1;

__attribute__((constructor)) void begin() {
    if (char const* const log = std::getenv("EIN_CRASH_LOG"))
        log_file =
            static_cast<int>(syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    char const* const crash = std::getenv("EIN_CRASH");
    char const* const colon = crash == nullptr ? nullptr : std::strchr(crash, ':');
    for (int i = 1; colon != nullptr && i <= erofs; ++i)
        if (std::strlen(names[i]) == static_cast<std::size_t>(colon - crash) &&
            std::strncmp(crash, names[i], static_cast<std::size_t>(colon - crash)) == 0)
            what = static_cast<What>(i), wanted = std::atol(colon + 1);
}

[[noreturn]] void die() {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

void log_call(char const* name, char const* path, char const* to) {
    if (log_file < 0) return;
    char line[3 * PATH_MAX];
    int const length = std::snprintf(line, sizeof line, "%s %s%s%s\n", name, path, *to == '\0' ? "" : " ", to);
    syscall(SYS_write, log_file, line, static_cast<std::size_t>(length));
}

/// The path of an open file, or of a name in an open folder.
void resolve(int folder, char const* name, char* out) {
    char link[64];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t const length = folder == AT_FDCWD || name[0] == '/' ? 0 : readlink(link, out, PATH_MAX);
    out[length < 0 ? 0 : length] = '\0';
    if (*name != '\0') std::snprintf(out + std::strlen(out), PATH_MAX, "%s%s", *out == '\0' ? "" : "/", name);
}

template <class Result, class Function>
Result call(char const* name, char const* path, char const* to, Function real) {
    bool const now = ++calls == wanted;
    if (now && what == before) die();
    if (now && what >= enospc) {
        log_call("failed", path, name);
        errno = what == enospc ? ENOSPC : what == eio ? EIO : EROFS;
        return static_cast<Result>(-1);
    }
    Result const result = real(now && what == half);
    int const error = errno;
    if (now && (what == after || what == half)) die();
    if (result >= 0) log_call(name, path, to);
    errno = error;
    return result;
}

template <class Result, class Function>
Result call_at(char const* name, int folder, char const* path, Function real) {
    char whole[2 * PATH_MAX];
    resolve(folder, path, whole);
    return call<Result>(name, whole, "", [&](bool) { return real(); });
}

template <class Function>
Function next(char const* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

std::size_t part_of(std::size_t count, bool cut) { return cut ? count / 2 : count; }

mode_t mode_of(int flags, std::va_list rest) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(rest, int)) : 0;
}

}  // namespace

extern "C" {

#define EIN_OPEN(NAME)                                                           \
    int NAME(char const* path, int flags, ...) {                                 \
        static auto const real = next<int (*)(char const*, int, mode_t)>(#NAME); \
        std::va_list rest;                                                       \
        va_start(rest, flags);                                                   \
        mode_t const mode = mode_of(flags, rest);                                \
        va_end(rest);                                                            \
        return call<int>((flags & O_CREAT) != 0 ? "create" : "open", path, "",   \
                         [&](bool) { return real(path, flags, mode); });         \
    }
EIN_OPEN(open)
EIN_OPEN(open64)

#define EIN_OPENAT(NAME)                                                                              \
    int NAME(int folder, char const* path, int flags, ...) {                                          \
        static auto const real = next<int (*)(int, char const*, int, mode_t)>(#NAME);                 \
        std::va_list rest;                                                                            \
        va_start(rest, flags);                                                                        \
        mode_t const mode = mode_of(flags, rest);                                                     \
        va_end(rest);                                                                                 \
        return call_at<int>("openat", folder, path, [&] { return real(folder, path, flags, mode); }); \
    }
EIN_OPENAT(openat)
EIN_OPENAT(openat64)

ssize_t write(int file, void const* from, std::size_t count) {
    static auto const real = next<ssize_t (*)(int, void const*, std::size_t)>("write");
    char path[2 * PATH_MAX];
    resolve(file, "", path);
    return call<ssize_t>("write", path, "", [&](bool cut) { return real(file, from, part_of(count, cut)); });
}

#define EIN_PWRITE(NAME)                                                                                              \
    ssize_t NAME(int file, void const* from, std::size_t count, off_t at) {                                           \
        static auto const real = next<ssize_t (*)(int, void const*, std::size_t, off_t)>(#NAME);                      \
        char path[2 * PATH_MAX];                                                                                      \
        resolve(file, "", path);                                                                                      \
        return call<ssize_t>("write", path, "", [&](bool cut) { return real(file, from, part_of(count, cut), at); }); \
    }
EIN_PWRITE(pwrite)
EIN_PWRITE(pwrite64)

#define EIN_FALLOCATE(NAME)                                                                  \
    int NAME(int file, int mode, off_t at, off_t bytes) {                                    \
        static auto const real = next<int (*)(int, int, off_t, off_t)>(#NAME);               \
        return call_at<int>("write", file, "", [&] { return real(file, mode, at, bytes); }); \
    }
EIN_FALLOCATE(fallocate)
EIN_FALLOCATE(fallocate64)

#define EIN_TRUNCATE(NAME)                                                         \
    int NAME(int file, off_t bytes) noexcept {                                     \
        static auto const real = next<int (*)(int, off_t)>(#NAME);                 \
        return call_at<int>("write", file, "", [&] { return real(file, bytes); }); \
    }
EIN_TRUNCATE(ftruncate)
EIN_TRUNCATE(ftruncate64)

int fsync(int file) {  // only says so: what a killed process has written is in the system, and disks are slow
    return call_at<int>("fsync", file, "", [] { return 0; });
}
int mkdir(char const* path, mode_t mode) noexcept {
    static auto const real = next<int (*)(char const*, mode_t)>("mkdir");
    return call<int>("create", path, "", [&](bool) { return real(path, mode); });
}
int unlink(char const* path) noexcept {
    static auto const real = next<int (*)(char const*)>("unlink");
    return call<int>("unlink", path, "", [&](bool) { return real(path); });
}
int unlinkat(int folder, char const* path, int flags) noexcept {
    static auto const real = next<int (*)(int, char const*, int)>("unlinkat");
    return call_at<int>("unlink", folder, path, [&] { return real(folder, path, flags); });
}
int rmdir(char const* path) noexcept {
    static auto const real = next<int (*)(char const*)>("rmdir");
    return call<int>("unlink", path, "", [&](bool) { return real(path); });
}
int rename(char const* from, char const* to) noexcept {
    static auto const real = next<int (*)(char const*, char const*)>("rename");
    return call<int>("rename", from, to, [&](bool) { return real(from, to); });
}

}  // extern "C"
