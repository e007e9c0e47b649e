#ifndef PENSTOCK_CPLUGINGUARD_H
#define PENSTOCK_CPLUGINGUARD_H

// For programs that load plugins into their own process: reports which plugin ended the process, by exit() or by a fatal signal.
//
// Has no effect, and handles no signal, before `penstock_guard_begin` or `penstock_guard_end_by_faults`. Call these only in a program that controls its
// whole process.

#include <stdint.h>

/// A call of a plugin's function: the name of the function and its owner, such as `operation 'fetch' of plugin 'feeds'`. The caller keeps both texts valid
/// until the call is over, or until the process ends. NULL while the thread is not in a call.
typedef struct {
  const char *function;
  const char *subject;
} penstock_guard_call;

/// The current call of the calling thread. Needs neither a lock nor memory, because the handler of a fatal signal reads it.
extern _Thread_local penstock_guard_call penstock_guard_current __attribute__((tls_model("initial-exec")));

/// Sets the current call of the thread and returns the previous one, which the caller restores with `penstock_guard_put`.
static inline penstock_guard_call penstock_guard_note(const char *function, const char *subject) {
  penstock_guard_call former = penstock_guard_current;
  penstock_guard_current = (penstock_guard_call){function, subject};
  return former;
}

static inline void penstock_guard_put(penstock_guard_call call) { penstock_guard_current = call; }

/// The number of nested calls from plugins to the host on the calling thread: meanwhile, the host does not call plugins.
extern _Thread_local int penstock_guard_host_calls __attribute__((tls_model("initial-exec")));

static inline void penstock_guard_enter_host(void) { penstock_guard_host_calls++; }
static inline void penstock_guard_leave_host(void) { penstock_guard_host_calls--; }
static inline int penstock_guard_is_in_host(void) { return penstock_guard_host_calls; }

/// From now on, reports on standard error if a plugin ends this process: by exit() or quick_exit(), which then end it with `status`,
/// or by a fatal signal, as after `penstock_guard_end_by_faults`. Further calls have no effect. Returns 0 or the error number.
int penstock_guard_begin(int status);

/// From now on, a signal such as SIGSEGV ends this process by that signal, even if it was only sent. The former handler, such as that of Swift, is called
/// first, but the process also ends if that handler returns. A signal that another process has sent is reported while there is advice.
/// Further calls have no effect. Returns 0 or the error number.
int penstock_guard_end_by_faults(void);

/// Records the name of the plugin whose shared object contains this address, so that the report can name it if one of its own threads ends the process.
/// At most 64 are recorded.
void penstock_guard_add(const void *address, const char *plugin);

/// Sets the advice that a report ends with: what was interrupted, and what to do. Empty text removes it; at most 400 bytes are kept.
void penstock_guard_advise(const char *advice);

/// Declares that the program itself ends the process with this status: exit() is no longer reported.
void penstock_guard_release(int status);

/// Whether a fatal signal is being handled, 1 or 0: the former handler may take seconds to report it.
int penstock_guard_is_crashing(void);

/// Implements `_exit(status)` for this program: reports the call if a plugin made it, and ends the process.
_Noreturn void penstock_guard_end(int status);

/// For library functions that would replace this process by another program or a child: if a plugin made the call, reports it and ends the process.
/// Returns in children of this process, and before `penstock_guard_begin`.
void penstock_guard_replace(const char *function);

/// Gives the calling thread an alternate stack for handlers, so that an overflow of its own stack can be reported; removes that stack again. No effect
/// before `penstock_guard_begin`, or if the thread has an alternate stack.
void penstock_guard_prepare_thread(void);
void penstock_guard_leave_thread(void);

#endif
