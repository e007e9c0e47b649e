// The contract consists only of the header. Compiling it here shows that it is self-contained strict C99.
#include <penstock/plugin.h>
