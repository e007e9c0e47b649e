#include "CPluginHeader.h"

// `#embed` is C23; the compiler supports it in every version of the language, with this warning.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char text[] = {
#embed "../PluginABI/include/penstock/plugin.h"
};

const char *penstock_plugin_header(void) { return text; }
size_t penstock_plugin_header_length(void) { return sizeof text; }
