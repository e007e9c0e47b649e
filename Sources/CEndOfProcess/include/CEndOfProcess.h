#ifndef PENSTOCK_CENDOFPROCESS_H
#define PENSTOCK_CENDOFPROCESS_H

// Stands for `_exit`, `_Exit`, the functions of the `exec` family and `daemon` in the process of the tool, so that a plugin in it that calls one of
// them is told by its name, and does not end the tool with a status of its own. For the tool alone: a program that defines them defines them for all
// libraries in its process.

#endif
