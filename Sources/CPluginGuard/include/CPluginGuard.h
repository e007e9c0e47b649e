#ifndef PENSTOCK_CPLUGINGUARD_H
#define PENSTOCK_CPLUGINGUARD_H

// What a program that loads plugins into its own process needs to say which of them ended it: by exit(), or by a fatal signal.
//
// Nothing is done, and no signal is handled, before `penstock_guard_begin` or `penstock_guard_end_by_faults`, which are for a program that has its
// process to itself.

#include <stdint.h>

/// A call of a plugin's function: the function, and whose it is, such as `operation 'fetch' of plugin 'feeds'`. Both are kept by whoever
/// notes the call as long as the process lives, or until the call is over. NULL where the thread is in no call.
typedef struct {
  const char *function;
  const char *subject;
} penstock_guard_call;

/// The call that the calling thread is in. The handler of a fatal signal reads it, so it needs neither a lock nor memory.
extern _Thread_local penstock_guard_call penstock_guard_current __attribute__((tls_model("initial-exec")));

/// Notes the call that the thread begins, and returns the one that it was in, to be put back with `penstock_guard_put`.
static inline penstock_guard_call penstock_guard_note(const char *function, const char *subject) {
  penstock_guard_call former = penstock_guard_current;
  penstock_guard_current = (penstock_guard_call){function, subject};
  return former;
}

static inline void penstock_guard_put(penstock_guard_call call) { penstock_guard_current = call; }

/// How many functions of the host's the calling thread is in that plugins have called: meanwhile the host calls none of theirs.
extern _Thread_local int penstock_guard_host_calls __attribute__((tls_model("initial-exec")));

static inline void penstock_guard_enter_host(void) { penstock_guard_host_calls++; }
static inline void penstock_guard_leave_host(void) { penstock_guard_host_calls--; }
static inline int penstock_guard_is_in_host(void) { return penstock_guard_host_calls; }

/// Reports on standard error when a plugin ends this process, from now on: by exit() or quick_exit(), which end it with `status` then,
/// or by a fatal signal, as after `penstock_guard_end_by_faults`. Further calls do nothing. Returns 0, or the error number.
int penstock_guard_begin(int status);

/// Makes a signal such as SIGSEGV end this process by that signal from now on, also where somebody has only sent it: a handler that was there before,
/// such as that of Swift, is called first, but that it returns does not let the process live. One that another process has sent is reported while there
/// is advice. Further calls do nothing. Returns 0, or the error number.
int penstock_guard_end_by_faults(void);

/// Notes the name of the plugin to which the shared object with this address belongs, so that a thread of its own that ends the process is
/// told by it. Those beyond the 64th are not noted.
void penstock_guard_add(const void *address, const char *plugin);

/// What a report adds: what is interrupted, and what to do. An empty text is nothing; at most 400 bytes are kept.
void penstock_guard_advise(const char *advice);

/// The process ends with this status because its program says so: exit() is nobody's doing from now on.
void penstock_guard_release(int status);

/// Whether a fatal signal is being handled: whoever did so before may take seconds to report it. 1 yes, 0 no.
int penstock_guard_is_crashing(void);

/// What `_exit(status)` of this program does: reports it where a plugin has called it, and ends the process.
_Noreturn void penstock_guard_end(int status);

/// For a function of the library that would put another program, or a child, in the place of this process: reports it and ends the process where a
/// plugin has called it. Returns in children of this process, and before `penstock_guard_begin`.
void penstock_guard_replace(const char *function);

/// Gives the calling thread a stack for handlers, so that the overflow of its own can be told; takes it back. Nothing before
/// `penstock_guard_begin`, and where the thread has one.
void penstock_guard_prepare_thread(void);
void penstock_guard_leave_thread(void);

#endif
