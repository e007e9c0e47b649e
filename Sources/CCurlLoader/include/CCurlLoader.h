// libcurl's functions, loaded when the first of them is called.
//
// libcurl loads twenty other libraries, which takes 6 ms at the start of a process: a lot for a tool that usually sends nothing. This target defines the
// functions that HTTPOperations calls, under symbols with a prefix (see CLibCurl), and forwards their arguments.

#ifndef PENSTOCK_CCURLLOADER_H
#define PENSTOCK_CCURLLOADER_H

/// Returns the dynamic loader's message if libcurl cannot be loaded; NULL if it is loaded. Any thread.
///
/// Without libcurl, functions that create a handle return NULL, and functions that return a code fail.
const char *penstock_curl_problem(void);

/// Returns the errno of the last failed attempt to open the library; 0 if there was none.
int penstock_curl_error(void);

#endif
