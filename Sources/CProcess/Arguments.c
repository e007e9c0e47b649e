// The arguments this process was started with, as the kernel passed them to the C library.

#include "CProcess.h"

#include <sys/auxv.h>

static int argument_count;
static char *const *argument_values;

#ifdef __GLIBC__
// glibc passes main's arguments to constructors. Swift's runtime searches for them next to `environ`, which another constructor may have moved by then
// (`setenv`), and then in /proc, which may be missing.
__attribute__((constructor)) static void keep_arguments(int count, char **values, char **environment) {
  (void)environment;
  argument_count = count;
  argument_values = values;
}
#endif

int penstock_argument_count(void) { return argument_count; }

const char *penstock_argument(int index) { return index >= 0 && index < argument_count ? argument_values[index] : NULL; }

const char *penstock_executable_name(void) { return (const char *)getauxval(AT_EXECFN); }
