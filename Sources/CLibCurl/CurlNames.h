// The functions of libcurl that CCurlLoader defines, and the names of their symbols.
//
// A program may link libcurl beside Penstock's libraries. If the symbols had libcurl's names, the program would call ours instead, or fail to link.

#ifndef PENSTOCK_CURL_NAMES_H
#define PENSTOCK_CURL_NAMES_H

#define PENSTOCK_CURL_FUNCTIONS(each) \
  each(curl_easy_cleanup) each(curl_easy_getinfo) each(curl_easy_init) each(curl_easy_pause) each(curl_easy_setopt) \
  each(curl_easy_strerror) each(curl_free) each(curl_global_init) each(curl_multi_add_handle) each(curl_multi_cleanup) \
  each(curl_multi_info_read) each(curl_multi_init) each(curl_multi_perform) each(curl_multi_poll) \
  each(curl_multi_remove_handle) each(curl_multi_setopt) each(curl_multi_wakeup) each(curl_slist_append) \
  each(curl_slist_free_all) each(curl_url) each(curl_url_cleanup) each(curl_url_get) each(curl_url_set) \
  each(curl_url_strerror)

/// Gives a function declared in <curl/curl.h> a symbol with a prefix; callers keep using its name.
#define PENSTOCK_CURL_RENAME(name) extern __typeof__(name) name __asm__("penstock_" #name);

#endif
