#ifndef PENSTOCK_CLINUXOBSERVERS_H
#define PENSTOCK_CLINUXOBSERVERS_H

// What the observers of `Operations` need of Linux and Swift does not import by itself: the kernel's structures for network links, addresses and routes,
// descriptors for events and timers, and signal handlers, which have to be C to be safe.

#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>

/// SIGTSTP arrived where nobody but the default action handles it: the process is to be stopped.
#define PENSTOCK_JOB_STOP 1u
/// SIGCONT arrived, or a SIGTSTP that a handler of the host takes care of.
#define PENSTOCK_JOB_CHANGE 2u

/// Returns a new descriptor, to be closed by the caller, that is readable when a signal has been noted: a duplicate of the eventfd that the signal
/// handlers write to. -1 with `errno` where there is none. [any thread, but one at a time]
int penstock_job_descriptor(void);

/// Begins to note SIGTSTP and SIGCONT, and makes `penstock_job_descriptor` readable when one arrives. What handled them before is still called, and in
/// the case of SIGTSTP's default action has to be done by `penstock_stop_job`. A SIGTSTP that is ignored stays so. Returns 0, or the error number.
///
/// One caller at a time may have begun. [any thread, but one at a time]
int penstock_begin_job_signals(void);

/// Puts back what handled the signals before, where nobody has replaced it since. [any thread, but one at a time]
void penstock_end_job_signals(void);

/// What has arrived since the last call: PENSTOCK_JOB_… or-ed together.
unsigned penstock_take_job_signals(void);

/// Does what SIGTSTP does by default: stops the process, and returns when it continues; returns at once where the kernel does not let job control stop
/// it, as nobody could continue it. Only between begin and end. [one thread at a time]
void penstock_stop_job(void);

#endif
