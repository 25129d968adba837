// Words that say which mutex guards what, for clang's thread-safety analysis (-Wthread-safety;
// scripts/check_threads.sh). Other compilers see nothing. A field says EIN_GUARDED_BY(mutex_); a private function that
// is called with the mutex held says EIN_REQUIRES(mutex_), and so does a lambda that a function calls back with it
// held. The types that take part are in mutex.hpp.
// Example: int waiting_ EIN_GUARDED_BY(mutex_) = 0; and void count() EIN_REQUIRES(mutex_) { ++waiting_; }
// Source: "Thread Safety Analysis", clang's documentation.
#pragma once

#if defined(__clang__)
#define EIN_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define EIN_THREAD_SAFETY(attribute)
#endif

// Of types: something that can be held; something that holds it as long as it lives.
#define EIN_CAPABILITY(name) EIN_THREAD_SAFETY(capability(name))
#define EIN_SCOPED_CAPABILITY EIN_THREAD_SAFETY(scoped_lockable)

// Of fields: what must be held to read or write them; of pointers: what they point to.
#define EIN_GUARDED_BY(mutex) EIN_THREAD_SAFETY(guarded_by(mutex))
#define EIN_PT_GUARDED_BY(mutex) EIN_THREAD_SAFETY(pt_guarded_by(mutex))

// Of functions: what the caller holds, or must not hold; what they take and give back.
#define EIN_REQUIRES(...) EIN_THREAD_SAFETY(requires_capability(__VA_ARGS__))
#define EIN_EXCLUDES(...) EIN_THREAD_SAFETY(locks_excluded(__VA_ARGS__))
#define EIN_ACQUIRE(...) EIN_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define EIN_RELEASE(...) EIN_THREAD_SAFETY(release_capability(__VA_ARGS__))
#define EIN_TRY_ACQUIRE(...) EIN_THREAD_SAFETY(try_acquire_capability(__VA_ARGS__))

/// Not analysed: the reason stands beside it.
#define EIN_NOT_ANALYSED EIN_THREAD_SAFETY(no_thread_safety_analysis)
