// What a process does when std::terminate ends it: an exception that left a destructor or a thread, or memory that ran
// out where nothing may be thrown. It says in one line what ended it, removes unfinished files, and ends with the exit
// code of memory that ran out, or of a failure. Nothing of this allocates.
// Leaves exceptions that are caught to apps/report_errors.hpp, and signals to executor/health/crash_handler.hpp.
// Example: set_terminate_of("einrun"); then a std::bad_alloc out of a destructor ends the process with code 4.
#pragma once

namespace ein {

void set_terminate_of(char const* program);  // a text that stays

/// What else is done, none by default: first what leaves a record; last what ends the other processes of the run, with
/// an exit code. A null pointer takes it away. Both may be called from any thread.
void set_terminate_record(void (*record)());
void set_terminate_others(void (*end)(int code));

}  // namespace ein
