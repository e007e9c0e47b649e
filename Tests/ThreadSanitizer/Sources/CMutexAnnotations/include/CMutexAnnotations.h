// Tells the thread sanitizer what `Mutex` does where the sanitizer does not see it.
//
// Nothing has to be called for that: linked into a program, these functions come before those of the same names in libswiftSynchronization.so, which they
// call. What is declared here is for the tests that show that it works.
#ifndef PENSTOCK_MUTEX_ANNOTATIONS_H
#define PENSTOCK_MUTEX_ANNOTATIONS_H

// How often, in this process, a lock has been taken, and been left, on a slow path.
int penstock_slow_locks(void);
int penstock_slow_unlocks(void);

// Keeps the sanitizer's reports of this process to itself, which still ends with the sanitizer's exit code.
void penstock_hide_reports(void);

#endif
