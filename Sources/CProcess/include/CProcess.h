#ifndef PENSTOCK_CPROCESS_H
#define PENSTOCK_CPROCESS_H

// The few lines of C that starting a process needs: variadic system calls and spawn attributes, in one call each.

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

/// Where one of the three standard descriptors of a new process comes from.
typedef struct {
  /// A descriptor of the host to duplicate, or -1 to open `path`.
  int descriptor;
  /// An existing file, opened by the child itself: for reading as its input, else for appending. So the host can tell (by a lease) whether anybody
  /// can still write to a log file.
  const char *path;
} penstock_stream;

/// What to start.
typedef struct {
  const char *path;
  char *const *arguments;
  char *const *environment;
  /// Where the process starts; NULL for the host's own directory.
  const char *directory;
  penstock_stream input, output, error;
  /// Further descriptors of the host, which the process has as 3, 4, …; at most PENSTOCK_INHERITED_MOST.
  const int *inherited;
  size_t inherited_count;
} penstock_spawn_request;

#define PENSTOCK_INHERITED_MOST 8

/// How a process ended.
typedef struct {
  /// The exit code, or -1 when a signal ended the process.
  int exit_code;
  /// The signal, or 0.
  int signal;
  /// Processor time in microseconds, and the largest resident set in KiB.
  int64_t user_time, system_time, maximum_resident;
} penstock_exit;

/// Starts a process in a session of its own, with default signal dispositions, an empty signal mask and no inherited descriptor beyond the three
/// standard ones and those asked for. On success fills `pid` and `pidfd` (close-on-exec) and returns 0; otherwise returns the error number.
int penstock_spawn(const penstock_spawn_request *request, pid_t *pid, int *pidfd);

/// Takes the owner's permissions out of this process's file mask: a mask such as 0177 would leave it with directories that it cannot enter. Processes that are
/// started get the mask that was there before. Call it before there are threads.
void penstock_let_owner_use_files(void);

/// Raises the soft limit of descriptors of this process to the hard one. Processes that are started get the one that was there before, which programs that
/// use `select` or close all descriptors expect to be low. Call it before there are threads. Returns 0, or the error number.
int penstock_raise_descriptors(void);

/// The first steps of a process, until it has become its program.
typedef struct penstock_start penstock_start;

/// Where a process puts its record before it becomes its program: a file of the host that is open for writing, and the offset there; 0 for nowhere.
typedef struct {
  int descriptor;
  int64_t offset;
} penstock_record_place;

/// A record that distinguishes a process from a later one with the same id. Its size divides that of a block and a page, so that no record is ever cut.
typedef struct {
  /// PENSTOCK_PROCESS_MARK.
  uint64_t mark;
  int64_t pid;
  /// It started between these two, in nanoseconds since boot.
  int64_t earliest, latest;
} penstock_process_record;

#define PENSTOCK_PROCESS_MARK 0x31636f7270736e70

/// Like `penstock_spawn`, but without waiting until the process has become its program: whether it could is what `penstock_finish_start` tells, and
/// where it could not, it ends. The process writes its record first of all; where it cannot, it goes on without. Until that has been called, the strings of the request have to stay where they are. The process leads its session
/// only after the first steps: `penstock_await_start` goes before what signals its group.
int penstock_start_process(
    const penstock_spawn_request *request, const penstock_record_place *record, penstock_start **start, pid_t *pid, int *pidfd);

/// Returns when the process has become its program, or has ended.
void penstock_await_start(penstock_start *start);

/// Waits like `penstock_await_start`, frees `start`, and returns 0, or the number of the error with which the process ended before it was its program.
int penstock_finish_start(penstock_start *start);

/// Reaps the process behind `pidfd`, which must have ended. Returns 0, or the error number (EAGAIN while it still runs).
int penstock_reap(int pidfd, penstock_exit *result);

/// Creates a file of the owner's alone, which must not exist, and opens it for reading only, close-on-exec. Returns the descriptor, or -errno.
int penstock_create_log(const char *path);

/// Whether nobody has a file open for writing; `descriptor` comes from `penstock_create_log`. 1 yes, 0 no or not known.
int penstock_has_no_writer(int descriptor);

/// A pipe whose ends are close-on-exec: `ends[0]` reads. Returns 0, or the error number.
int penstock_pipe(int ends[2]);

/// Names the calling thread, for debuggers and `top`; at most 15 characters.
void penstock_name_thread(const char *name);

/// How many processors this process may run on, at least 1.
int penstock_processor_count(void);

/// A close-on-exec descriptor that becomes readable when the process ends, or -errno.
int penstock_open_process(pid_t pid);

/// Makes this process the parent of descendants whose own parents end. Returns 0, or the error number.
int penstock_adopt_orphans(void);

/// Whether this process has children, ended ones that nobody has waited for included. 1 yes, 0 no.
int penstock_has_children(void);

/// Two connected stream sockets, close-on-exec. Returns 0, or the error number.
int penstock_socket_pair(int ends[2]);

/// Ends this process with SIGKILL when the thread that started it ends. Returns 0, or the error number.
int penstock_die_with_parent(void);

/// Keeps other processes of this user from reading the memory, the environment and the descriptors of this one, and from tracing it; the
/// superuser can. Programs that it starts are as they would have been. Nothing where /proc hides processes that may not be traced
/// (`hidepid`): others of this user could not see that it lives. Returns 0, or the error number.
int penstock_hide_process(void);

/// Keeps this process, and what it starts, from getting privileges by a program that is set-user-id or has capabilities. Returns 0, or the
/// error number.
int penstock_keep_privileges(void);

/// The number of a device, as `stat` gives it.
static inline uint64_t penstock_device(uint32_t major_number, uint32_t minor_number) {
  return makedev(major_number, minor_number);
}

/// The stack of a thread in a limited process that does not ask for another one.
#define PENSTOCK_CHILD_STACK (1 << 20)

/// Bounds what this process may use from here on: bytes of memory of its own beyond those that it has (`RLIMIT_DATA`: what it can write and
/// shares with nobody, stacks included; not code, mapped files, and what allocators only reserve), descriptors, and no core file. Threads
/// have stacks of PENSTOCK_CHILD_STACK bytes from here on. Returns 0, or the error number.
int penstock_limit_process(int64_t memory, int64_t descriptors);

/// `SEGV` for SIGSEGV; NULL for a number that has no name.
const char *penstock_signal_name(int number);

/// An anonymous file in memory, close-on-exec, positioned at its start. Returns the descriptor, or -errno.
int penstock_memory_file(const void *bytes, size_t count);

/// An anonymous file in memory with what `source` has, whose position stays; close-on-exec, and never to be changed by anybody. `name`, of at most
/// 249 bytes, is seen in lists of mapped files. Returns the descriptor, or -errno.
int penstock_memory_copy(const char *name, int source);

/// Removes a directory with all that is in it, as far as that can be; of links, themselves and not what they point to.
void penstock_remove_tree(const char *path);

/// How many arguments this process was started with, its own name among them; 0 where the C library does not tell.
int penstock_argument_count(void);

/// One of them, or NULL. It stays as long as the process.
const char *penstock_argument(int index);

/// The path by which this program was started, as whoever started it wrote it, relative to where that was; NULL where the kernel does not tell.
const char *penstock_executable_name(void);

/// Lets single keys be read from a terminal: without waiting for the end of a line and without showing them; keys that send signals go on doing so.
/// What was typed before is dropped. The terminal is as it was after `penstock_end_keys`, `penstock_restore_terminal` and `exit`, and after every signal
/// that ends the process and can be caught, where the caller answers SIGINT, SIGTERM and SIGHUP itself. Returns 0, or the error number: EAGAIN where the
/// terminal belongs to another job. To be called by one thread.
int penstock_begin_keys(int descriptor);

/// Undoes it, unless the terminal belongs to another job by now. The same thread.
void penstock_end_keys(void);

/// The caller has hidden the cursor of a terminal, which is shown again wherever the keys would be given back. The same thread.
void penstock_begin_hidden_cursor(int descriptor);

/// The caller has shown it again. The same thread.
void penstock_end_hidden_cursor(void);

/// Gives back what is held of the terminal, for a process that ends now. Any thread.
void penstock_restore_terminal(void);

/// The bytes that `malloc` has given out in this process, of all arenas.
int64_t penstock_heap_in_use(void);

/// Lets `malloc` share out so many arenas among all threads, in place of eight for each processor: what a thread of many has freed serves the others as well, so that
/// a process that runs for months does not grow by what lies idle between. To be called before there are other threads.
void penstock_limit_arenas(int most);

#endif
