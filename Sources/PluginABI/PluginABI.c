// The contract is the header alone. Compiling it here shows that it stands by itself, as strict C99.
#include <penstock/plugin.h>
