// Counts the allocations of the whole process: this target's malloc and its like stand in the place of the C library's,
// which they call. Counting costs nothing while it is off, so that what is timed is not slowed down by it.

#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stdint.h>

/// Begins to count from 0, on all threads.
void allocations_begin(void);

/// Ends counting.
///
/// Returns how many blocks of memory were asked for since the beginning; a block that grew counts again.
uint64_t allocations_end(void);

/// How many bytes are allocated now, with what the allocator needs to know of each block.
uint64_t allocations_bytes_in_use(void);

#endif
