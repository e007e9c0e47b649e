/* Preloaded into the host, handles every fatal signal before the host does and returns, as Swift's own handler does for a signal that was sent. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void handle(int number) {
  (void)number;
  static const char text[] = "handled as before\n";
  write(2, text, sizeof text - 1);
}

__attribute__((constructor)) static void begin(void) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) sigaction(faults[index], &action, NULL);
}
