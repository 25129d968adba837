#!/usr/bin/env bash
# Checks scripts/check_threads.sh itself: each seeded fault must be found, and sound code must pass.
#   threads_self_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

failures=0
# expect WANTED BODY: a class with a mutex, a guarded field `count_` and BODY. WANTED is "fine" or what the check must
# say.
expect() {
    local wanted=$1 output status=0
    cat > "$work/seeded.cpp" << CPP
#include "lib/base/threads/mutex.hpp"
class Seeded {
public:
    $2
private:
    void add() EIN_REQUIRES(mutex_) { ++count_; }
    mutable ein::Mutex mutex_;
    ein::Condition changed_;
    int count_ EIN_GUARDED_BY(mutex_) = 0;
};
CPP
    output=$("$source_dir/scripts/check_threads.sh" --build "$build" "$work/seeded.cpp" 2>&1) || status=$?
    if [ "$status" = 77 ]; then echo "$output"; exit 77; fi
    case "$wanted" in
        fine) [ "$status" = 0 ] && return ;;
        *) [ "$status" = 1 ] && [[ "$output" == *"seeded.cpp:"*"$wanted"* ]] && return ;;
    esac
    printf 'expected "%s" for\n  %s\nfound exit code %s:\n%s\n' "$wanted" "$2" "$status" "$output"
    failures=$((failures + 1))
}

expect fine 'void f() { ein::MutexLock const lock(mutex_); ++count_; add(); }'
expect fine 'void f() { if (!mutex_.try_lock()) return; ein::MutexLock const lock(mutex_, ein::adopt_held); ++count_; }'
expect fine 'void f() {
        ein::MutexLock const lock(mutex_);
        changed_.wait(lock, [&]() EIN_REQUIRES(mutex_) { return count_ > 0; });
    }'
expect "reading variable 'count_' requires holding mutex 'mutex_'" 'int f() const { return count_; }'
expect "writing variable 'count_' requires holding mutex 'mutex_'" 'void f() { ++count_; }'
expect "calling function 'add' requires holding mutex 'mutex_'" 'void f() { add(); }'
expect "mutex 'mutex_' is not held on every path" 'void f() { if (mutex_.try_lock()) ++count_; }'
expect "acquiring mutex 'mutex_' that is already held" \
    'void f() { ein::MutexLock const lock(mutex_); ein::MutexLock const again(mutex_); }'
expect "clang knows nothing of this lock" 'std::mutex other;'
exit "$((failures > 0))"
