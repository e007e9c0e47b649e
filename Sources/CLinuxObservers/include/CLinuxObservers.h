#ifndef PENSTOCK_CLINUXOBSERVERS_H
#define PENSTOCK_CLINUXOBSERVERS_H

// The parts of Linux that the observers of `Operations` need and Swift does not import: the kernel's structures for network links, addresses and routes,
// descriptors for events and timers, and signal handlers, which must be written in C to be safe.

#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>

/// SIGTSTP arrived, and only the default action handles it: the process must be stopped.
#define PENSTOCK_JOB_STOP 1u
/// SIGCONT arrived, or a SIGTSTP that a handler of the host handles.
#define PENSTOCK_JOB_CHANGE 2u

/// Returns a new descriptor that is readable when a signal has been recorded: a duplicate of the eventfd to which the signal handlers write. The caller
/// must close it. Returns -1 and sets `errno` on failure. [any thread, but one at a time]
int penstock_job_descriptor(void);

/// Begins to record SIGTSTP and SIGCONT, and makes `penstock_job_descriptor` readable when one arrives. Previous handlers are still called; instead of the
/// default action of SIGTSTP, call `penstock_stop_job`. A SIGTSTP that is ignored stays ignored. Returns 0 or the error number.
///
/// Only one caller may be between begin and end. [any thread, but one at a time]
int penstock_begin_job_signals(void);

/// Restores the previous handlers of the signals, unless others were installed since. [any thread, but one at a time]
void penstock_end_job_signals(void);

/// Returns the signals that have arrived since the last call: PENSTOCK_JOB_… combined by bitwise or.
unsigned penstock_take_job_signals(void);

/// Performs the default action of SIGTSTP: stops the process, and returns when it continues. Returns immediately if the kernel does not let job control
/// stop the process, because nothing could continue it. Only between begin and end. [one thread at a time]
void penstock_stop_job(void);

#endif
