#ifndef PENSTOCK_CPROCESS_H
#define PENSTOCK_CPROCESS_H

// The C code needed to start a process: variadic system calls and spawn attributes, each in one call.

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/xattr.h>

/// The source of one of a new process's three standard descriptors.
typedef struct {
  /// A descriptor of the host to duplicate, or -1 to open `path`.
  int descriptor;
  /// An existing file, opened by the child itself: for reading as its input, otherwise for appending. This lets the host determine with a lease whether
  /// any process can still write to a log file.
  const char *path;
} penstock_stream;

/// The process to start.
typedef struct {
  const char *path;
  char *const *arguments;
  char *const *environment;
  /// The working directory; NULL for the host's.
  const char *directory;
  penstock_stream input, output, error;
  /// More descriptors of the host, which become 3, 4, … in the process; at most PENSTOCK_INHERITED_MOST.
  const int *inherited;
  size_t inherited_count;
} penstock_spawn_request;

#define PENSTOCK_INHERITED_MOST 8

/// Writes everything of a descriptor's file system to its disk. Returns 0 or an error number.
int penstock_sync_file_system(int descriptor);

/// How a process ended.
typedef struct {
  /// The exit code, or -1 if a signal terminated the process.
  int exit_code;
  /// The signal, or 0.
  int signal;
  /// The processor time in microseconds, and the maximum resident set in KiB.
  int64_t user_time, system_time, maximum_resident;
} penstock_exit;

/// Starts a process in its own session, with default signal dispositions, an empty signal mask, and no inherited descriptors except the three
/// standard ones and those requested. On success, sets `pid` and `pidfd` (close-on-exec) and returns 0; otherwise returns the error number.
int penstock_spawn(const penstock_spawn_request *request, pid_t *pid, int *pidfd);

/// Removes the owner's permissions from this process's file mask, because with a mask such as 0177 it could not enter directories it creates. New
/// processes get the previous mask. Call it before there are threads.
void penstock_let_owner_use_files(void);

/// Raises this process's soft limit of descriptors to the hard limit. New processes get the previous limit, because programs that use `select` or
/// close all descriptors expect it to be low. Call it before there are threads. Returns 0 or the error number.
int penstock_raise_descriptors(void);

/// The state of a process being started, until it has executed its program.
typedef struct penstock_start penstock_start;

/// The place to which a process writes its record before it executes its program: an open, writable file of the host, and the offset; 0 for none.
typedef struct {
  int descriptor;
  int64_t offset;
  /// See `penstock_process_record`.
  int32_t operation, attempt;
} penstock_record_place;

/// A record that distinguishes a process from a later one with the same id. Its size divides the block and page sizes, so no record is ever torn.
typedef struct {
  /// PENSTOCK_RECORD_MARK.
  uint32_t mark;
  int32_t pid;
  /// The bounds of the start time, in nanoseconds since boot.
  int64_t earliest, latest;
  /// The ordinal of its operation and the number of the attempt; 0 if the process belongs to no attempt.
  int32_t operation, attempt;
} penstock_process_record;

/// The mark of a file of such records, and that of a record.
#define PENSTOCK_PROCESS_MARK 0x32636f7270736e70
#define PENSTOCK_RECORD_MARK 0x32736e70

/// Like `penstock_spawn`, but does not wait until the process has executed its program. `penstock_finish_start` returns whether it could; if not,
/// the process ends. The process writes its record first, and continues without one if it cannot. Until `penstock_finish_start` has been called, the
/// strings of the request must remain valid. The process does not lead its session at once, so call `penstock_await_start` before signalling its group.
int penstock_start_process(
    const penstock_spawn_request *request, const penstock_record_place *record, penstock_start **start, pid_t *pid, int *pidfd);

/// Returns when the process has executed its program or has ended.
void penstock_await_start(penstock_start *start);

/// Waits like `penstock_await_start`, frees `start`, and returns 0, or the error number with which the process ended before executing its program.
int penstock_finish_start(penstock_start *start);

/// Reaps the process of `pidfd`, which must have ended. Returns 0 or the error number (EAGAIN while it is running).
int penstock_reap(int pidfd, penstock_exit *result);

/// Creates a file that only its owner can access, which must not exist, and opens it read-only and close-on-exec. Returns the descriptor, or -errno.
int penstock_create_log(const char *path);

/// Returns 1 if no process has a file open for writing, or 0 if one has or it is unknown; `descriptor` comes from `penstock_create_log`.
int penstock_has_no_writer(int descriptor);

/// Creates a pipe whose ends are close-on-exec; `ends[0]` is the read end. Returns 0 or the error number.
int penstock_pipe(int ends[2]);

/// Names the calling thread for debuggers and `top`; at most 15 characters.
void penstock_name_thread(const char *name);

/// Returns the number of processors this process may run on, at least 1.
int penstock_processor_count(void);

/// Returns a close-on-exec descriptor that becomes readable when the process ends, or -errno.
int penstock_open_process(pid_t pid);

/// Makes this process adopt descendants whose parents end. Returns 0 or the error number.
int penstock_adopt_orphans(void);

/// Returns 1 if this process has children, including ended ones that were not waited for; otherwise 0.
int penstock_has_children(void);

/// Creates two connected stream sockets, close-on-exec. Returns 0 or the error number.
int penstock_socket_pair(int ends[2]);

/// Makes the kernel terminate this process with SIGKILL when the thread that started it ends. Returns 0 or the error number.
int penstock_die_with_parent(void);

/// Prevents other processes of this user from tracing this process and from reading its memory, environment and descriptors; the superuser still
/// can. Programs that it starts are not affected. Does nothing if /proc hides processes that may not be traced (`hidepid`), because other processes of
/// this user could not see that this one is alive. Returns 0 or the error number.
int penstock_hide_process(void);

/// Prevents this process and its descendants from gaining privileges through set-user-id programs or file capabilities. Returns 0 or the
/// error number.
int penstock_keep_privileges(void);

/// Returns a device number as `stat` reports it.
static inline uint64_t penstock_device(uint32_t major_number, uint32_t minor_number) {
  return makedev(major_number, minor_number);
}

/// The default stack size of threads in a limited process.
#define PENSTOCK_CHILD_STACK (1 << 20)

/// Limits what this process may use from now on: bytes of private writable memory beyond the current amount (`RLIMIT_DATA`, which includes stacks but not
/// code, mapped files or memory that allocators only reserve), and descriptors; and disables core files. New threads have
/// stacks of PENSTOCK_CHILD_STACK bytes. Returns 0 or the error number.
int penstock_limit_process(int64_t memory, int64_t descriptors);

/// Returns the abbreviated name of a signal, such as `SEGV` for SIGSEGV; NULL if the number has none.
const char *penstock_signal_name(int number);

/// Creates an anonymous file in memory with these bytes, close-on-exec, positioned at its start. Returns the descriptor, or -errno.
int penstock_memory_file(const void *bytes, size_t count);

/// Creates an immutable anonymous file in memory with the contents of `source`, whose position does not change; close-on-exec. `name`, of at most
/// 249 bytes, appears in lists of mapped files. Returns the descriptor, or -errno.
int penstock_memory_copy(const char *name, int source);

/// Removes a directory with all its contents as far as possible; symbolic links are removed, not followed.
void penstock_remove_tree(const char *path);

/// Returns the number of arguments this process was started with, including its own name; 0 if the C library does not supply them.
int penstock_argument_count(void);

/// Returns one of these arguments, or NULL. It is valid for the life of the process.
const char *penstock_argument(int index);

/// Returns the path with which this program was executed, possibly relative to the caller's directory; NULL if the kernel does not supply it.
const char *penstock_executable_name(void);

/// Puts a terminal into a mode in which single keys can be read, without line buffering and echo; signal keys keep working. Input typed earlier is
/// discarded. The terminal is restored by `penstock_end_keys`, `penstock_restore_terminal` and `exit`, and by every catchable signal that terminates
/// the process; the caller must handle SIGINT, SIGTERM and SIGHUP itself. Returns 0 or the error number, which is EAGAIN if the terminal
/// belongs to another job. Call it on one thread only.
int penstock_begin_keys(int descriptor);

/// Restores the terminal, unless it belongs to another job by now. Call it on the same thread.
void penstock_end_keys(void);

/// Records that the caller has hidden a terminal's cursor, which is then shown again whenever the keys would be restored. Call it on the same thread.
void penstock_begin_hidden_cursor(int descriptor);

/// Records that the caller has shown the cursor again. Call it on the same thread.
void penstock_end_hidden_cursor(void);

/// Restores everything held of the terminal, for a process that is about to end. Safe to call on any thread.
void penstock_restore_terminal(void);

/// Returns the number of bytes currently allocated with `malloc` in this process, in all arenas.
int64_t penstock_heap_in_use(void);

/// Limits `malloc` to this number of arenas for all threads, instead of eight per processor. Memory that one thread frees is then reused by others, so that
/// idle memory does not accumulate in a process that runs for months. Call it before there are other threads.
void penstock_limit_arenas(int most);

#endif
