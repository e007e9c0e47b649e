#ifndef PENSTOCK_CENDOFPROCESS_H
#define PENSTOCK_CENDOFPROCESS_H

// Replaces `_exit`, `_Exit`, the functions of the `exec` family and `daemon` in the process of the tool: a plugin that calls one of them is reported by
// name, and does not end the tool with a status of its own. Only for the tool: a program that defines these functions defines them for all libraries in
// its process.

#endif
