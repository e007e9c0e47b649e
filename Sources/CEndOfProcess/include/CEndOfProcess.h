#ifndef PENSTOCK_CENDOFPROCESS_H
#define PENSTOCK_CENDOFPROCESS_H

// Stands for `_exit` and `_Exit` in the process of the tool, so that a plugin in it that calls one of them is told by its name. For the tool
// alone: a program that defines them defines them for all libraries in its process.

#endif
