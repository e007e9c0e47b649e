// On Linux `Mutex` is a futex. Its fast paths are atomic operations that the compiler puts into the caller, where the sanitizer instruments them. Under
// contention it calls functions of libswiftSynchronization.so, which is not instrumented: the sanitizer does not learn that the lock was handed over, and
// reports whatever it protects as a race. These are those functions, with their calling convention, and with the two words that the sanitizer is missing.
// They order what the lock orders, and nothing else: what goes on beside a lock is still reported.
//
// One more hand-over is missing in Swift 6.3, and cannot be had from here: a continuation that another thread resumes before its task has come to wait for
// it. `swift_continuation_resume` tells the sanitizer its half, `swift_continuation_await` goes on without the other. What the result consists of may then
// be reported although nothing is wrong: the older access is the making of an object before `resume`, the newer one its use after the `await`.
#define _GNU_SOURCE
#include "CMutexAnnotations.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Of the sanitizer's runtime.
extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);
extern void __sanitizer_set_report_fd(void *descriptor);

// Methods of a mutex's handle, which is the word that its fast paths synchronise on, too. Those of `Synchronization._MutexHandle`:
// `_lockSlow(_: UInt32)`, `_tryLockSlow() -> Bool` and `_unlockSlow()`.
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SELF __attribute__((swift_context)) void *mutex

typedef __attribute__((swiftcall)) void lock_slow(uint32_t thread, SELF);
typedef __attribute__((swiftcall)) bool try_lock_slow(SELF);
typedef __attribute__((swiftcall)) void unlock_slow(SELF);

// Relaxed, as everything of our own: nothing here may order what the program that is looked at does not order.
static atomic_int slow_locks, slow_unlocks;

static void *find_original(_Atomic(void *) *known, const char *name) {
  void *original = atomic_load_explicit(known, memory_order_relaxed);
  if (original) return original;
  original = dlsym(RTLD_NEXT, name);
  if (!original) {
    fprintf(stderr, "no library has %s: this toolchain's Mutex is another one\n", name);
    abort();
  }
  atomic_store_explicit(known, original, memory_order_relaxed);
  return original;
}

lock_slow penstock_lock_slow __asm__(LOCK_SLOW);
try_lock_slow penstock_try_lock_slow __asm__(TRY_LOCK_SLOW);
unlock_slow penstock_unlock_slow __asm__(UNLOCK_SLOW);

__attribute__((swiftcall)) void penstock_lock_slow(uint32_t thread, SELF) {
  static _Atomic(void *) original;
  ((lock_slow *)find_original(&original, LOCK_SLOW))(thread, mutex);
  __tsan_acquire(mutex);
  atomic_fetch_add_explicit(&slow_locks, 1, memory_order_relaxed);
}

__attribute__((swiftcall)) bool penstock_try_lock_slow(SELF) {
  static _Atomic(void *) original;
  bool is_locked = ((try_lock_slow *)find_original(&original, TRY_LOCK_SLOW))(mutex);
  if (is_locked) __tsan_acquire(mutex);
  return is_locked;
}

__attribute__((swiftcall)) void penstock_unlock_slow(SELF) {
  static _Atomic(void *) original;
  // Before the lock is free: the next owner may be there at once.
  __tsan_release(mutex);
  ((unlock_slow *)find_original(&original, UNLOCK_SLOW))(mutex);
  atomic_fetch_add_explicit(&slow_unlocks, 1, memory_order_relaxed);
}

int penstock_slow_locks(void) { return atomic_load_explicit(&slow_locks, memory_order_relaxed); }

int penstock_slow_unlocks(void) { return atomic_load_explicit(&slow_unlocks, memory_order_relaxed); }

void penstock_hide_reports(void) { __sanitizer_set_report_fd((void *)(intptr_t)open("/dev/null", O_WRONLY | O_CLOEXEC)); }
