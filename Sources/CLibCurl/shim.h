// libcurl, and an inline function per argument type for its variadic functions, which Swift cannot call.

#ifndef PENSTOCK_CLIBCURL_H
#define PENSTOCK_CLIBCURL_H

// The argument type checks are macros that conflict with the functions below.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "CurlNames.h"

// Macros in some versions, which conflict with the names below.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

PENSTOCK_CURL_FUNCTIONS(PENSTOCK_CURL_RENAME)

static inline CURLcode penstock_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode penstock_curl_set_offset(CURL *easy, CURLoption option, int64_t value) {
  return curl_easy_setopt(easy, option, (curl_off_t)value);
}

static inline CURLcode penstock_curl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode penstock_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode penstock_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

/// The type of WRITEFUNCTION, HEADERFUNCTION and READFUNCTION.
typedef size_t (*penstock_curl_data)(char *bytes, size_t size, size_t count, void *context);
typedef int (*penstock_curl_seek)(void *context, curl_off_t offset, int origin);
typedef curl_socket_t (*penstock_curl_open)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*penstock_curl_before)(void *context, char *remote, char *local, int remote_port, int local_port);
typedef int (*penstock_curl_lookup)(void *resolver, void *reserved, void *context);

static inline CURLcode penstock_curl_set_data(CURL *easy, CURLoption option, penstock_curl_data value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode penstock_curl_set_seek(CURL *easy, penstock_curl_seek value) {
  return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode penstock_curl_set_open(CURL *easy, penstock_curl_open value) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

/// Sets the function that is called when a name lookup begins.
static inline CURLcode penstock_curl_set_lookup(CURL *easy, penstock_curl_lookup value) {
  return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, value);
}

/// Sets the function that is called once connected, before the request is sent.
static inline CURLcode penstock_curl_set_before(CURL *easy, penstock_curl_before value) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

/// Allows only HTTP and HTTPS.
static inline CURLcode penstock_curl_restrict_protocols(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/// Abandons an unfinished name lookup instead of waiting for its thread.
static inline CURLcode penstock_curl_leave_lookups(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)easy;
  return CURLE_OK;
#endif
}

static inline CURLcode penstock_curl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode penstock_curl_get_offset(CURL *easy, CURLINFO info, int64_t *value) {
  curl_off_t offset = 0;
  CURLcode code = curl_easy_getinfo(easy, info, &offset);
  *value = (int64_t)offset;
  return code;
}

static inline CURLcode penstock_curl_get_string(CURL *easy, CURLINFO info, const char **value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode penstock_curl_get_pointer(CURL *easy, CURLINFO info, void **value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode penstock_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

/// Returns 1 if a message of `curl_multi_info_read` reports the end of a transfer, and sets the transfer and its result.
static inline int penstock_curl_ended(const CURLMsg *message, CURL **easy, CURLcode *code) {
  if (message->msg != CURLMSG_DONE) return 0;
  *easy = message->easy_handle;
  *code = message->data.result;
  return 1;
}

/// Reads the cached part of a file without waiting for a disk (RWF_NOWAIT). Returns -1 with EAGAIN if nothing is cached, and with EOPNOTSUPP if the file
/// system does not support this.
static inline ssize_t penstock_read_cached(int descriptor, void *buffer, size_t count, int64_t offset) {
  struct iovec vector = {buffer, count};
  // The upper half of the offset, which the kernel ignores if a long has 64 bits.
  long upper = (long)((uint64_t)offset >> 32);
  return syscall(SYS_preadv2, descriptor, &vector, 1L, (long)offset, upper, 8);
}

#endif
