#ifndef PENSTOCK_CWORKERMONITOR_H
#define PENSTOCK_CWORKERMONITOR_H

// Replaces `open` in the processes of the tool and the host, so that libdispatch does not end a process without free descriptors. If more work is pending
// than it has threads for, libdispatch reads `/proc/ID/stat` of each thread every second, to count those that run; if it cannot open one, it assumes that the
// thread has died, and aborts. Only for programs: a program that defines `open` defines it for all libraries in its process.

#endif
