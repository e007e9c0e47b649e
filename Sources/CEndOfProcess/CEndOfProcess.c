#include "CEndOfProcess.h"

#include <stdlib.h>
#include <unistd.h>

#include "CPluginGuard.h"

// The library's own exit() does not come here.
__attribute__((visibility("default"))) _Noreturn void _exit(int status) { penstock_guard_end(status); }
__attribute__((visibility("default"))) _Noreturn void _Exit(int status) { penstock_guard_end(status); }
