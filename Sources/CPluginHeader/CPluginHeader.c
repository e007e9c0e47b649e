#include "CPluginHeader.h"

// C23, which the compiler knows in every version of the language, and says so.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char text[] = {
#embed "../PluginABI/include/penstock/plugin.h"
};

const char *penstock_plugin_header(void) { return text; }
size_t penstock_plugin_header_length(void) { return sizeof text; }
