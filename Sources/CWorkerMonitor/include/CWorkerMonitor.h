#ifndef PENSTOCK_CWORKERMONITOR_H
#define PENSTOCK_CWORKERMONITOR_H

// Stands for `open` in the process of the tool and of the host, so that libdispatch does not end a process that has no descriptor left. Each second in which more work
// waits than it has threads for, it reads `/proc/ID/stat` of each thread, to count those that run, and takes one that it cannot open for a thread that is gone: it aborts.
// For programs alone: one that defines `open` defines it for all libraries in its process.

#endif
