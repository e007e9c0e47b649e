// libcurl's functions, found when the first of them is called.
//
// libcurl brings twenty other libraries along, which take a process 6 ms to load: much for a tool that mostly sends nothing. This target defines
// the functions that HTTPOperations calls, with symbols that have a prefix (see CLibCurl), and passes on what they are called with.

#ifndef PENSTOCK_CCURLLOADER_H
#define PENSTOCK_CCURLLOADER_H

/// Why there is no libcurl here, as the system's loader says it; NULL where there is one. Any thread.
///
/// Where there is none, what makes a handle returns NULL, and whatever else returns a code fails.
const char *penstock_curl_problem(void);

/// The error number that the system gave when the library could not be opened last; 0 where it gave none.
int penstock_curl_error(void);

#endif
