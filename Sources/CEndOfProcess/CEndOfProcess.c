#define _GNU_SOURCE
#include "CEndOfProcess.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CPluginGuard.h"

#define OURS __attribute__((visibility("default")))

// The C library's own exit() does not call this function.
OURS _Noreturn void _exit(int status) { penstock_guard_end(status); }
OURS _Noreturn void _Exit(int status) { penstock_guard_end(status); }

// MARK: Replacing this process by another program

// The C library searches PATH. Its function is looked up at the start, because a child of `fork` may not do that.
static int (*search)(const char *, char *const[], char *const[]);
static int (*detach)(int, int);
__attribute__((constructor)) static void find_library(void) {
  search = (int (*)(const char *, char *const[], char *const[]))dlsym(RTLD_NEXT, "execvpe");
  detach = (int (*)(int, int))dlsym(RTLD_NEXT, "daemon");
}

OURS int execve(const char *path, char *const arguments[], char *const environment[]) {
  penstock_guard_replace("execve");
  return (int)syscall(SYS_execve, path, arguments, environment);
}

OURS int execv(const char *path, char *const arguments[]) {
  penstock_guard_replace("execv");
  return (int)syscall(SYS_execve, path, arguments, environ);
}

OURS int execvpe(const char *file, char *const arguments[], char *const environment[]) {
  penstock_guard_replace("execvpe");
  return search(file, arguments, environment);
}

OURS int execvp(const char *file, char *const arguments[]) {
  penstock_guard_replace("execvp");
  return search(file, arguments, environ);
}

OURS int execveat(int directory, const char *path, char *const arguments[], char *const environment[], int flags) {
  penstock_guard_replace("execveat");
  return (int)syscall(SYS_execveat, directory, path, arguments, environment, flags);
}

OURS int fexecve(int descriptor, char *const arguments[], char *const environment[]) {
  penstock_guard_replace("fexecve");
  return (int)syscall(SYS_execveat, descriptor, "", arguments, environment, AT_EMPTY_PATH);
}

// Collects variadic arguments up to NULL in a variable `arguments`; `rest` then refers to what follows them.
#define COLLECT(first)                                                   \
  va_list rest;                                                          \
  size_t count = 0;                                                      \
  va_start(rest, first);                                                 \
  for (const char *next = first; next != NULL; count++) next = va_arg(rest, char *); \
  va_end(rest);                                                          \
  char *arguments[count + 1];                                            \
  va_start(rest, first);                                                 \
  arguments[0] = (char *)first;                                          \
  for (size_t at = 1; at <= count; at++) arguments[at] = va_arg(rest, char *);

OURS int execl(const char *path, const char *first, ...) {
  penstock_guard_replace("execl");
  COLLECT(first)
  va_end(rest);
  return (int)syscall(SYS_execve, path, arguments, environ);
}

OURS int execlp(const char *file, const char *first, ...) {
  penstock_guard_replace("execlp");
  COLLECT(first)
  va_end(rest);
  return search(file, arguments, environ);
}

OURS int execle(const char *path, const char *first, ...) {
  penstock_guard_replace("execle");
  COLLECT(first)
  char *const *environment = va_arg(rest, char *const *);
  va_end(rest);
  return (int)syscall(SYS_execve, path, arguments, environment);
}

// Ends the process by the C library's own `_exit`; a child without threads continues.
OURS int daemon(int keeps_directory, int keeps_descriptors) {
  penstock_guard_replace("daemon");
  return detach(keeps_directory, keeps_descriptors);
}
