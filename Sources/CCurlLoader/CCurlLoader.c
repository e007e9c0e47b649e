#include "CCurlLoader.h"

#include "../CLibCurl/CurlNames.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

// These functions must not replace libcurl's own: their symbols have a prefix and are hidden from other objects of the process.
#pragma GCC visibility push(hidden)

// The first argument of this function is const only in newer versions.
#define curl_url_get declared_curl_url_get
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#undef curl_url_get

// Macros in some versions.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

CURLUcode curl_url_get(const CURLU *url, CURLUPart part, char **text, unsigned flags);

PENSTOCK_CURL_FUNCTIONS(PENSTOCK_CURL_RENAME)

// libcurl's ABI has had this number since 2006.
#define LIBRARY "libcurl.so.4"

#define POINTER(name) __typeof__(name) *name##_pointer;
static struct {
  // Set once all members below are set.
  int is_loaded;
  const char *problem;
  int error;
  PENSTOCK_CURL_FUNCTIONS(POINTER)
} library;

static void load(void) {
  library.problem = NULL;
  errno = 0;
  void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  library.error = handle == NULL ? errno : 0;
#define FIND(name) \
  if (handle != NULL && library.problem == NULL) { \
    *(void **)&library.name##_pointer = dlsym(handle, #name); \
    if (library.name##_pointer == NULL) library.problem = #name " is missing in " LIBRARY; \
  }
  PENSTOCK_CURL_FUNCTIONS(FIND)
  if (handle == NULL) {
    // The loader overwrites its message at its next error. The library is never unloaded.
    static char problem[512];
    const char *text = dlerror();
    snprintf(problem, sizeof problem, "%s", text != NULL ? text : LIBRARY);
    library.problem = problem;
  }
  __atomic_store_n(&library.is_loaded, library.problem == NULL, __ATOMIC_RELEASE);
}

// A failed load is retried at the next call: the process may have had no free file descriptor.
static int is_loaded(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  if (__atomic_load_n(&library.is_loaded, __ATOMIC_ACQUIRE)) return 1;
  pthread_mutex_lock(&lock);
  if (!library.is_loaded) load();
  int is_loaded = library.is_loaded;
  pthread_mutex_unlock(&lock);
  return is_loaded;
}

const char *penstock_curl_problem(void) { return is_loaded() ? NULL : library.problem; }
int penstock_curl_error(void) { return library.error; }

#define CALL(name, failure, ...) (is_loaded() ? library.name##_pointer(__VA_ARGS__) : (failure))
#define DO(name, ...) \
  if (is_loaded()) library.name##_pointer(__VA_ARGS__)

CURLcode curl_global_init(long flags) { return CALL(curl_global_init, CURLE_FAILED_INIT, flags); }
void curl_free(void *pointer) { DO(curl_free, pointer); }

// MARK: Lists

struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text) {
  return CALL(curl_slist_append, NULL, list, text);
}
void curl_slist_free_all(struct curl_slist *list) { DO(curl_slist_free_all, list); }

// MARK: URLs

CURLU *curl_url(void) { return CALL(curl_url, NULL); }
void curl_url_cleanup(CURLU *url) { DO(curl_url_cleanup, url); }
CURLUcode curl_url_get(const CURLU *url, CURLUPart part, char **text, unsigned flags) {
  return CALL(curl_url_get, CURLUE_OUT_OF_MEMORY, url, part, text, flags);
}
CURLUcode curl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned flags) {
  return CALL(curl_url_set, CURLUE_OUT_OF_MEMORY, url, part, text, flags);
}
const char *curl_url_strerror(CURLUcode code) { return CALL(curl_url_strerror, library.problem, code); }

// MARK: Easy handles

CURL *curl_easy_init(void) { return CALL(curl_easy_init, NULL); }
void curl_easy_cleanup(CURL *easy) { DO(curl_easy_cleanup, easy); }
CURLcode curl_easy_pause(CURL *easy, int what) { return CALL(curl_easy_pause, CURLE_FAILED_INIT, easy, what); }
const char *curl_easy_strerror(CURLcode code) { return CALL(curl_easy_strerror, library.problem, code); }

CURLcode curl_easy_setopt(CURL *easy, CURLoption option, ...) {
  // The option's number determines the type of its value.
  va_list values;
  va_start(values, option);
  CURLcode code;
  if (option < CURLOPTTYPE_OBJECTPOINT) {
    code = CALL(curl_easy_setopt, CURLE_FAILED_INIT, easy, option, va_arg(values, long));
  } else if (option >= CURLOPTTYPE_OFF_T && option < CURLOPTTYPE_BLOB) {
    code = CALL(curl_easy_setopt, CURLE_FAILED_INIT, easy, option, va_arg(values, curl_off_t));
  } else {
    code = CALL(curl_easy_setopt, CURLE_FAILED_INIT, easy, option, va_arg(values, void *));
  }
  va_end(values);
  return code;
}

CURLcode curl_easy_getinfo(CURL *easy, CURLINFO info, ...) {
  va_list values;
  va_start(values, info);
  CURLcode code = CALL(curl_easy_getinfo, CURLE_FAILED_INIT, easy, info, va_arg(values, void *));
  va_end(values);
  return code;
}

// MARK: Multi handles

CURLM *curl_multi_init(void) { return CALL(curl_multi_init, NULL); }
CURLMcode curl_multi_cleanup(CURLM *multi) { return CALL(curl_multi_cleanup, CURLM_BAD_HANDLE, multi); }
CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy) {
  return CALL(curl_multi_add_handle, CURLM_BAD_HANDLE, multi, easy);
}
CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy) {
  return CALL(curl_multi_remove_handle, CURLM_BAD_HANDLE, multi, easy);
}
CURLMcode curl_multi_perform(CURLM *multi, int *running) {
  return CALL(curl_multi_perform, CURLM_BAD_HANDLE, multi, running);
}
CURLMcode curl_multi_poll(CURLM *multi, struct curl_waitfd *more, unsigned count, int milliseconds, int *ready) {
  return CALL(curl_multi_poll, CURLM_BAD_HANDLE, multi, more, count, milliseconds, ready);
}
CURLMcode curl_multi_wakeup(CURLM *multi) { return CALL(curl_multi_wakeup, CURLM_BAD_HANDLE, multi); }
CURLMsg *curl_multi_info_read(CURLM *multi, int *left) { return CALL(curl_multi_info_read, NULL, multi, left); }

CURLMcode curl_multi_setopt(CURLM *multi, CURLMoption option, ...) {
  va_list values;
  va_start(values, option);
  CURLMcode code;
  if ((int)option < CURLOPTTYPE_OBJECTPOINT) {
    code = CALL(curl_multi_setopt, CURLM_BAD_HANDLE, multi, option, va_arg(values, long));
  } else if ((int)option >= CURLOPTTYPE_OFF_T) {
    code = CALL(curl_multi_setopt, CURLM_BAD_HANDLE, multi, option, va_arg(values, curl_off_t));
  } else {
    code = CALL(curl_multi_setopt, CURLM_BAD_HANDLE, multi, option, va_arg(values, void *));
  }
  va_end(values);
  return code;
}

#pragma GCC visibility pop
