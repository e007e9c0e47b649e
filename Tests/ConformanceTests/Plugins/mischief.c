/* A plugin that does to its process what a plugin must not do. Its setting says what. */
#include <penstock/plugin.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* Whether one of the files of the host that hold its secrets can be opened. */
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

static volatile int depth;
static int overflow(int level) {
  volatile char room[4096];
  room[level % 4096] = (char)level;
  depth = level;
  return overflow(level + 1) + room[depth % 4096];
}

static void do_it(void) {
  if (is("exit")) exit(0);
  if (is("_exit")) _exit(0);
  if (is("quick_exit")) quick_exit(0);
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
  if (is("print")) {
    printf("printed by the plugin\n");
    fflush(stdout);
    dprintf(1, "written by the plugin\n");
  }
}

/* MISCHIEF="describe exit" does it in describe. No process of the plugin's own gets that variable; LANG="describe exit" does it there too. */
static void before_use(const char *function) {
  const char *wanted = getenv("MISCHIEF") != NULL ? getenv("MISCHIEF") : getenv("LANG");
  size_t length = strlen(function);
  if (wanted == NULL || strncmp(wanted, function, length) != 0 || wanted[length] != ' ') return;
  snprintf(what, sizeof what, "%s", wanted + length + 1);
  do_it();
}

static void *thread(void *id) {
  usleep(20000);
  memmove(what, what + 4, strlen(what + 4) + 1);
  do_it();
  return id;
}

/* `"what":"own exit"` does it on a thread of its own, `"what":"exit"` in create. */
static penstock_status create(penstock_id id, penstock_text offer, penstock_text settings, void **instance) {
  (void)offer;
  char text[256] = "";
  memcpy(text, settings.bytes, settings.length < 255 ? settings.length : 255);
  char *start = strstr(text, "\"what\":\"");
  if (start != NULL) snprintf(what, sizeof what, "%.*s", (int)strcspn(start + 8, "\""), start + 8);
  *instance = (void *)(uintptr_t)id;
  /* Of what is only checked, nothing else is done. */
  if (is("create")) for (;;) pause();
  return PENSTOCK_OK;
}

static void start(void *instance, penstock_text input) {
  (void)input;
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

static void stop(void *instance, uint64_t nanoseconds) { (void)instance; (void)nanoseconds; }
static void destroy(void *instance) { (void)instance; }
static const penstock_functions functions = {sizeof(penstock_functions), 0, create, start, stop, destroy};
static const void *capability(penstock_text id) {
  before_use("capability");
  return penstock_text_equals(id, PENSTOCK_OPERATION) ? &functions : NULL;
}
PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
    sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0}, describe, open_plugin, close_plugin, capability};
