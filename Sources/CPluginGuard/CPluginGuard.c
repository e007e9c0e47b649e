#define _GNU_SOURCE
#include "CPluginGuard.h"

#include <errno.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

_Thread_local penstock_guard_call penstock_guard_current __attribute__((tls_model("initial-exec")));
_Thread_local int penstock_guard_host_calls __attribute__((tls_model("initial-exec")));

// Written before `count` is raised, and never again: handlers read them without a lock.
static struct {
  uintptr_t start, end;
  char plugin[104];
} images[64];
static atomic_size_t image_count;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
enum { fault_count = sizeof faults / sizeof *faults };
static struct sigaction former[fault_count];

static atomic_bool is_active;
static atomic_bool are_faults_handled;
static atomic_bool is_released;
static atomic_bool is_crashing;
static pid_t owner;
static int exit_status;
// The status with which the program itself ends.
static _Atomic int released_status;
static bool has_terminal;
// Two buffers, so that a report always finds a complete text.
static char advice[2][404];
static atomic_int current_advice;
static _Thread_local bool has_own_stack;

// MARK: Finding the plugin

/// The plugin whose code contains an address, or NULL.
static const char *plugin_at(uintptr_t address) {
  size_t count = atomic_load_explicit(&image_count, memory_order_acquire);
  for (size_t index = 0; index < count; index++) {
    if (address >= images[index].start && address < images[index].end) return images[index].plugin;
  }
  return NULL;
}

/// The plugin with the innermost code on the calling thread's stack: an address on the stack that is in the code of a plugin is nearly always a return
/// address. The stack may be corrupt, so unmapped memory only ends the search.
static const char *plugin_on_stack(uintptr_t from) {
  uintptr_t words[128];
  from &= ~(uintptr_t)(sizeof(uintptr_t) - 1);
  for (int step = 0; step < 256; step++, from += sizeof words) {
    struct iovec here = {words, sizeof words}, there = {(void *)from, sizeof words};
    ssize_t count = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    for (ssize_t index = 0; index < count / (ssize_t)sizeof *words; index++) {
      const char *plugin = plugin_at(words[index]);
      if (plugin) return plugin;
    }
    if (count != (ssize_t)sizeof words) return NULL;
  }
  return NULL;
}

// MARK: Reporting

typedef struct {
  size_t length;
  char bytes[1024];
} report;

static void add(report *text, const char *what) {
  while (*what && text->length < sizeof text->bytes - 1) text->bytes[text->length++] = *what++;
}

static void add_number(report *text, int number) {
  char digits[12], *next = digits + sizeof digits;
  unsigned left = number < 0 ? 0U - (unsigned)number : (unsigned)number;
  *--next = 0;
  do *--next = (char)('0' + left % 10); while ((left /= 10) != 0);
  if (number < 0) *--next = '-';
  add(text, next);
}

static void add_place(report *text, penstock_guard_call call, const char *whose) {
  if (call.function) {
    add(text, " in '");
    add(text, call.function);
    add(text, "' of ");
    add(text, call.subject ? call.subject : "a plugin");
  } else if (whose) {
    add(text, " on a thread of plugin '");
    add(text, whose);
    add(text, "'");
  }
}

static void tell(report *text) {
  const char *what = advice[atomic_load(&current_advice)];
  if (*what) {
    add(text, "; ");
    add(text, what);
  }
  add(text, "\n");
  for (size_t start = 0; start < text->length;) {
    // The process must end even if nothing reads this: the text is then lost after a second. A write of this size to a writable pipe does not block.
    struct pollfd reader = {.fd = 2, .events = POLLOUT};
    if (poll(&reader, 1, 1000) == 0) return;
    size_t part = text->length - start < 512 ? text->length - start : 512;
    ssize_t count = write(2, text->bytes + start, part);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    start += (size_t)count;
  }
}

static void begin_report(report *text) {
  text->length = 0;
  // A live tree that is being drawn would overwrite it.
  if (has_terminal) add(text, "\r\033[?25h\n");
}

/// Reports the end of the process by a call of `function` (with `status`, if it has one) if the program did not request it. Returns whether that is so.
static bool report_exit(const char *function, const int *status, const void *stack) {
  if (!atomic_load(&is_active) || atomic_load(&is_released)) return false;
  // A child that a plugin forked, and that ends before `exec`.
  if ((pid_t)syscall(SYS_getpid) != owner) return false;
  released_status = exit_status;
  if (atomic_exchange(&is_released, true)) return false;
  penstock_guard_call call = penstock_guard_current;
  report text;
  begin_report(&text);
  add(&text, "penstock: ");
  add(&text, function);
  if (status) {
    add(&text, "(");
    add_number(&text, *status);
    add(&text, ")");
  }
  add(&text, " was called");
  add_place(&text, call, call.function ? NULL : plugin_on_stack((uintptr_t)stack));
  add(&text, ", which ends this process; with 'isolation: process' it would end the plugin's own");
  tell(&text);
  return true;
}

static void at_exit(int status, void *context) {
  (void)context;
  if (report_exit("exit", &status, __builtin_frame_address(0))) syscall(SYS_exit_group, exit_status);
}

static void at_quick_exit_(void) {
  // The status is not reported.
  int status = 0;
  if (report_exit("quick_exit", &status, __builtin_frame_address(0))) syscall(SYS_exit_group, exit_status);
}

_Noreturn void penstock_guard_end(int status) {
  // The exit status does not depend on what plugins do while the process ends.
  if (atomic_load(&is_active) && atomic_load(&is_released) && (pid_t)syscall(SYS_getpid) == owner) status = released_status;
  else if (report_exit("_exit", &status, __builtin_frame_address(0))) status = exit_status;
  for (;;) syscall(SYS_exit_group, status);
}

void penstock_guard_replace(const char *function) {
  if (!atomic_load(&is_active) || (pid_t)syscall(SYS_getpid) != owner) return;
  report_exit(function, NULL, __builtin_frame_address(0));
  for (;;) syscall(SYS_exit_group, released_status);
}

// MARK: Fatal signals

static uintptr_t instruction(const ucontext_t *context) {
#if defined(__x86_64__)
  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (uintptr_t)context->uc_mcontext.pc;
#else
  return 0;
#endif
}

static uintptr_t stack_pointer(const ucontext_t *context) {
#if defined(__x86_64__)
  return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
  return (uintptr_t)context->uc_mcontext.sp;
#else
  return 0;
#endif
}

/// The only plugin with code in this process; NULL if there are several.
static const char *only_plugin(void) {
  size_t count = atomic_load_explicit(&image_count, memory_order_acquire);
  for (size_t index = 1; index < count; index++) {
    if (strcmp(images[index].plugin, images[0].plugin) != 0) return NULL;
  }
  return count > 0 ? images[0].plugin : NULL;
}

/// Adds the cause of a fatal signal. Returns whether a plugin in this process is known to have caused it; otherwise `is_sent` says whether it was sent.
static bool add_cause(report *text, const siginfo_t *info, const ucontext_t *context, bool *is_sent) {
  *is_sent = (info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL) && info->si_pid != owner;
  if (*is_sent) {
    add(text, " was sent by process ");
    add_number(text, info->si_pid);
    return false;
  }
  if (info->si_code == SI_USER || info->si_code == SI_QUEUE) {
    // The thread that receives the signal may not be the one that sent it, and this program sends itself none.
    const char *whose = only_plugin();
    add(text, whose ? " was sent by plugin '" : " was sent by a plugin");
    if (whose) add(text, whose);
    if (whose) add(text, "'");
    return true;
  }
  penstock_guard_call call = penstock_guard_current;
  const char *whose = NULL;
  if (!call.function) {
    whose = plugin_at(instruction(context));
    if (!whose) whose = plugin_on_stack(stack_pointer(context));
  }
  add_place(text, call, whose);
  return call.function || whose;
}

/// Not inlined, so that the former handler can use the part of a small stack that this function needs.
static __attribute__((noinline)) void report_fault(int number, const siginfo_t *info, const ucontext_t *context) {
  if ((pid_t)syscall(SYS_getpid) != owner || atomic_exchange(&is_released, true)) return;
  report text;
  begin_report(&text);
  add(&text, "penstock: ");
  const char *name = sigabbrev_np(number);
  add(&text, name ? "SIG" : "signal ");
  if (name) add(&text, name); else add_number(&text, number);
  bool is_sent, is_of_plugin = add_cause(&text, info, context, &is_sent);
  // The host reports the end of processes of plugins.
  if (is_sent ? !advice[atomic_load(&current_advice)][0] && !atomic_load(&is_active) : !is_of_plugin || !atomic_load(&is_active)) return;
  add(&text, ", which ends this process");
  if (is_of_plugin) add(&text, "; with 'isolation: process' it would end the plugin's own");
  tell(&text);
}

/// Calls the former handler of a fatal signal. Returns if there was none, or if that handler returns.
static void hand_over(int number, siginfo_t *info, void *context) {
  const struct sigaction *action = &former[0];
  for (size_t index = 0; index < fault_count; index++) if (faults[index] == number) action = &former[index];
  if (!(action->sa_flags & SA_SIGINFO) && (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN)) return;
  pthread_sigmask(SIG_BLOCK, &action->sa_mask, NULL);
  if (action->sa_flags & SA_SIGINFO) action->sa_sigaction(number, info, context);
  else action->sa_handler(number);
}

/// Ends the process by a signal, as if it had no handler.
static _Noreturn void end_by(int number, siginfo_t *info) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  sigaction(number, &standard, NULL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  long process = syscall(SYS_getpid), thread = syscall(SYS_gettid);
  // With its cause, for the core dump.
  if (syscall(SYS_rt_tgsigqueueinfo, process, thread, number, info) != 0) syscall(SYS_tgkill, process, thread, number);
  // The first process of a container is not ended by a signal that it sends itself.
  for (;;) syscall(SYS_exit_group, 128 + number);
}

static void on_fault(int number, siginfo_t *info, void *context) {
  atomic_store(&is_crashing, true);
  // From here on, the former handler applies.
  for (size_t index = 0; index < fault_count; index++) sigaction(faults[index], &former[index], NULL);
  report_fault(number, info, context);
  hand_over(number, info, context);
  // Swift's own handler returns. A fault then occurs again and ends the process, but a signal that was only sent does not.
  end_by(number, info);
}

// MARK: The interface of the program

int penstock_guard_end_by_faults(void) {
  bool expected = false;
  if (!atomic_compare_exchange_strong(&are_faults_handled, &expected, true)) return 0;
  owner = getpid();
  has_terminal = isatty(2) == 1;
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  sigemptyset(&action.sa_mask);
  // Record all former handlers before the first signal can arrive.
  for (size_t index = 0; index < fault_count; index++) sigaction(faults[index], NULL, &former[index]);
  for (size_t index = 0; index < fault_count; index++) {
    // A signal that is ignored stays ignored.
    bool is_simple = !(former[index].sa_flags & SA_SIGINFO);
    if (is_simple && former[index].sa_handler == SIG_IGN) continue;
    if (sigaction(faults[index], &action, NULL) != 0) return errno;
  }
  return 0;
}

int penstock_guard_begin(int status) {
  bool expected = false;
  if (!atomic_compare_exchange_strong(&is_active, &expected, true)) return 0;
  owner = getpid();
  exit_status = status;
  if (on_exit(at_exit, NULL) != 0 || at_quick_exit(at_quick_exit_) != 0) return ENOMEM;
  return penstock_guard_end_by_faults();
}

void penstock_guard_add(const void *address, const char *plugin) {
  Dl_info info;
  struct link_map *map = NULL;
  if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || map == NULL) return;
  const ElfW(Ehdr) *header = info.dli_fbase;
  const ElfW(Phdr) *segments = (const void *)((const char *)info.dli_fbase + header->e_phoff);
  pthread_mutex_lock(&adding);
  for (int index = 0; index < header->e_phnum; index++) {
    size_t count = atomic_load(&image_count);
    if (segments[index].p_type != PT_LOAD || !(segments[index].p_flags & PF_X)) continue;
    if (count == sizeof images / sizeof *images) break;
    images[count].start = map->l_addr + segments[index].p_vaddr;
    images[count].end = images[count].start + segments[index].p_memsz;
    strncpy(images[count].plugin, plugin, sizeof images[count].plugin - 1);
    atomic_store_explicit(&image_count, count + 1, memory_order_release);
  }
  pthread_mutex_unlock(&adding);
}

void penstock_guard_advise(const char *text) {
  pthread_mutex_lock(&adding);
  int next = 1 - atomic_load(&current_advice);
  strncpy(advice[next], text, sizeof advice[next] - 1);
  atomic_store(&current_advice, next);
  pthread_mutex_unlock(&adding);
}

void penstock_guard_release(int status) {
  released_status = status;
  atomic_store(&is_released, true);
}

int penstock_guard_is_crashing(void) { return atomic_load(&is_crashing); }

// MARK: Threads

/// The size of a stack for a handler, including the state that the processor saves.
static size_t stack_size(void) {
  long least = sysconf(_SC_MINSIGSTKSZ);
  return (size_t)(least > 0 ? least : MINSIGSTKSZ) + (16 << 10);
}

void penstock_guard_prepare_thread(void) {
  stack_t stack;
  if (!atomic_load(&is_active)) return;
  // Threads of libdispatch block SIGABRT, and so do threads that inherit their mask.
  sigset_t set;
  sigemptyset(&set);
  for (size_t index = 0; index < fault_count; index++) sigaddset(&set, faults[index]);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  if (sigaltstack(NULL, &stack) != 0 || !(stack.ss_flags & SS_DISABLE)) return;
  void *memory = mmap(NULL, stack_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return;
  stack = (stack_t){.ss_sp = memory, .ss_size = stack_size()};
  has_own_stack = sigaltstack(&stack, NULL) == 0;
  if (!has_own_stack) munmap(memory, stack_size());
}

void penstock_guard_leave_thread(void) {
  stack_t none = {.ss_flags = SS_DISABLE}, stack;
  if (!has_own_stack || sigaltstack(&none, &stack) != 0) return;
  has_own_stack = false;
  munmap(stack.ss_sp, stack.ss_size);
}
