#include <penstock/plugin.h>
