/* A plugin that does to its process what a plugin must not do. Its setting selects what. */
#define _GNU_SOURCE
#include <penstock/plugin.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const penstock_host *host;
static const penstock_instance_service *instances;
static char what[64];
static int hangs_in_close;

static void before_use(const char *function);

__attribute__((constructor)) static void initializer(void) { before_use("initializer"); }

static penstock_text describe(void) {
  before_use("describe");
  return PENSTOCK_TEXT(
      "{\"id\":\"mischief\",\"version\":\"1.0.0\",\"summary\":\"Does what it must not\",\"offers\":["
      "{\"kind\":\"operation\",\"id\":\"mischief\",\"summary\":\"Does it\",\"result\":\"string\","
      "\"settings\":[{\"name\":\"what\",\"type\":\"string\",\"summary\":\"What\",\"required\":true}]}]}");
}

static penstock_status open_plugin(const penstock_host *the_host) {
  host = the_host;
  instances = (const penstock_instance_service *)host->service(host, PENSTOCK_INSTANCE);
  return PENSTOCK_OK;
}

static void close_plugin(void) {
  while (hangs_in_close) pause();
}

/* Returns whether one of the host's files that contain its secrets can be opened. */
static penstock_text spy(void) {
  static const char *names[] = {"environ", "mem", "fd"};
  for (size_t index = 0; index < 3; index++) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", getppid(), names[index]);
    if (open(path, O_RDONLY) >= 0) return PENSTOCK_TEXT("\"seen\"");
  }
  return PENSTOCK_TEXT("\"hidden\"");
}

static int is(const char *word) { return strcmp(what, word) == 0; }

static void end_badly(void) {
  if (is("atexit hang")) for (;;) pause();
  _exit(0);
}

/* Children of the plugin execute other programs, which receive their arguments and their environment. */
static void run_programs(void) {
  char *arguments[] = {"sh", "-c", "test \"$A $0 $1\" = \"b c d\" && exit 7", "c", "d", NULL}, *environment[] = {"A=b", "PATH=/bin:/usr/bin", NULL};
  for (int which = 0; which < 9; which++) {
    int status = 0;
    pid_t child = which % 2 == 0 ? fork() : vfork();
    if (child == 0) {
      if (which == 0) execve("/bin/sh", arguments, environment);
      if (which == 1) execvpe("sh", arguments, environment);
      if (which == 2) execle("/bin/sh", "sh", "-c", arguments[2], "c", "d", NULL, environment);
      if (which == 3) execveat(AT_FDCWD, "/bin/sh", arguments, environment, 0);
      if (which == 4) fexecve(open("/bin/sh", O_RDONLY), arguments, environment);
      if (which == 5) execl("/bin/sh", "sh", "-c", "exit $0", "7", NULL);
      if (which == 6) execlp("sh", "sh", "-c", "exit $0", "7", NULL);
      arguments[2] = "test \"$0 $1\" = \"c d\" && exit 7";
      if (which == 7) execv("/bin/sh", arguments);
      if (which == 8) execvp("sh", arguments);
      _exit(99);
    }
    waitpid(child, &status, 0);
    dprintf(2, "program %d: %d\n", which, WEXITSTATUS(status));
  }
}

static volatile int depth;
static int overflow(int level) {
  volatile char room[4096];
  room[level % 4096] = (char)level;
  depth = level;
  return overflow(level + 1) + room[depth % 4096];
}

/* Returns the signal with this name, such as SEGV. */
static int signal_named(const char *name) {
  int number = 1;
  while (number < 32 && strcmp(sigabbrev_np(number), name) != 0) number++;
  return number;
}

static void do_it(void) {
  if (strncmp(what, "raise ", 6) == 0) raise(signal_named(what + 6));
  if (strncmp(what, "kill ", 5) == 0) kill(getpid(), signal_named(what + 5));
  if (is("exit")) exit(0);
  if (is("_exit")) _exit(0);
  if (is("quick_exit")) quick_exit(0);
  if (is("system call")) syscall(SYS_exit_group, 0);
  char *arguments[] = {"true", NULL};
  if (is("execve")) execve("/bin/true", arguments, environ);
  if (is("execv")) execv("/bin/true", arguments);
  if (is("execvp")) execvp("true", arguments);
  if (is("execvpe")) execvpe("true", arguments, environ);
  if (is("execl")) execl("/bin/true", "true", NULL);
  if (is("execlp")) execlp("true", "true", NULL);
  if (is("execle")) execle("/bin/true", "true", NULL, environ);
  if (is("fexecve")) fexecve(open("/bin/true", O_RDONLY), arguments, environ);
  if (is("execveat")) execveat(AT_FDCWD, "/bin/true", arguments, environ, 0);
  if (is("daemon")) daemon(1, 1);
  if (is("programs")) run_programs();
  if (is("segfault")) *(volatile int *)8 = 1;
  if (is("abort")) abort();
  if (is("overflow")) overflow(0);
  if (is("copy")) memcpy(what, (char *)8, (size_t)getpid());
  if (is("hang")) for (;;) pause();
  if (is("end the thread")) pthread_exit(NULL);
  if (strncmp(what, "atexit", 6) == 0) atexit(end_badly);
  if (is("child")) {
    pid_t child = fork();
    if (child == 0) exit(7);
    waitpid(child, NULL, 0);
  }
  if (is("ignore ends")) signal(SIGCHLD, SIG_IGN);
  if (is("print")) {
    printf("printed by the plugin\n");
    fflush(stdout);
    dprintf(1, "written by the plugin\n");
  }
}

/* MISCHIEF="describe exit" does it in describe. The plugin's own process does not receive that variable; LANG="describe exit" does it there too. */
static void before_use(const char *function) {
  const char *wanted = getenv("MISCHIEF") != NULL ? getenv("MISCHIEF") : getenv("LANG");
  size_t length = strlen(function);
  if (wanted == NULL || strncmp(wanted, function, length) != 0 || wanted[length] != ' ') return;
  snprintf(what, sizeof what, "%s", wanted + length + 1);
  do_it();
}

/* Reports which of the host's signals a thread would receive that was started without setting a signal mask. */
static void *note_signals(void *where) {
  static const struct { int number; const char *name; } signals[] = {
      {SIGTERM, "TERM"}, {SIGINT, "INT"}, {SIGHUP, "HUP"}, {SIGCHLD, "CHLD"}, {SIGIO, "IO"}};
  sigset_t blocked;
  char text[200] = "";
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) {
    if (sigismember(&blocked, signals[index].number)) continue;
    /* Without a handler, SIGCHLD is not delivered to any thread. */
    struct sigaction action;
    sigaction(signals[index].number, NULL, &action);
    if (signals[index].number == SIGCHLD && action.sa_handler == SIG_DFL) continue;
    strcat(text, " ");
    strcat(text, signals[index].name);
  }
  dprintf(2, "a thread begun in %s takes:%s\n", (const char *)where, text);
  return NULL;
}

static void begin_thread(const char *where) {
  pthread_t other;
  pthread_create(&other, NULL, note_signals, (void *)where);
  pthread_join(other, NULL);
}

static void fired(void *id, penstock_status status) {
  if (status != PENSTOCK_OK) return;
  (void)id;
  begin_thread("a timer");
  dprintf(2, "all threads were begun\n");
}

static void *wait_for_ever(void *nothing) {
  for (;;) pause();
  return nothing;
}

static void *thread(void *id) {
  usleep(20000);
  memmove(what, what + 4, strlen(what + 4) + 1);
  do_it();
  return id;
}

/* `"what":"own exit"` does it on a separate thread, `"what":"exit"` in start. */
static penstock_status create(penstock_id id, penstock_text offer, penstock_text settings, void **instance) {
  (void)offer;
  char text[256] = "";
  memcpy(text, settings.bytes, settings.length < 255 ? settings.length : 255);
  char *start = strstr(text, "\"what\":\"");
  if (start != NULL) snprintf(what, sizeof what, "%.*s", (int)strcspn(start + 8, "\""), start + 8);
  *instance = (void *)(uintptr_t)id;
  if (is("threads")) begin_thread("create");
  /* An operation that is only checked gets no further than this. */
  if (is("create")) for (;;) pause();
  return PENSTOCK_OK;
}

static void start(void *instance, penstock_text input) {
  (void)input;
  if (is("threads")) {
    const penstock_clock_service *clocks = (const penstock_clock_service *)host->service(host, PENSTOCK_CLOCK);
    pthread_t waiting;
    pthread_create(&waiting, NULL, wait_for_ever, NULL);
    begin_thread("start");
    clocks->timer(host, (penstock_id)(uintptr_t)instance, clocks->now(host), fired, instance);
    return;
  }
  hangs_in_close = is("close");
  if (strncmp(what, "own ", 4) == 0) {
    pthread_t own;
    pthread_create(&own, NULL, thread, instance);
    pthread_detach(own);
    return;
  }
  do_it();
  instances->complete(host, (penstock_id)(uintptr_t)instance, is("spy") ? spy() : PENSTOCK_TEXT("\"done\""));
}

static void stop(void *instance, uint64_t nanoseconds) {
  (void)nanoseconds;
  if (!is("threads")) return;
  begin_thread("stop");
  instances->fail(host, (penstock_id)(uintptr_t)instance, PENSTOCK_TEXT("{\"code\":\"cancelled\",\"message\":\"stopped\"}"));
}
static void destroy(void *instance) { (void)instance; }
static const penstock_functions functions = {sizeof(penstock_functions), 0, create, start, stop, destroy};
static const void *capability(penstock_text id) {
  before_use("capability");
  return penstock_text_equals(id, PENSTOCK_OPERATION) ? &functions : NULL;
}
PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
    sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0}, describe, open_plugin, close_plugin, capability};
