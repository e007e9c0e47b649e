#ifndef PENSTOCK_CPLUGINHEADER_H
#define PENSTOCK_CPLUGINHEADER_H

// The text of `penstock/plugin.h`, for `penstock plugins new`, which gives each plugin in C a copy of its own.

#include <stddef.h>

/// The text, in UTF-8, without a terminating zero. Valid for as long as the process runs.
const char *penstock_plugin_header(void);

/// The length in bytes.
size_t penstock_plugin_header_length(void);

#endif
