/* The declarations of a possible version 1.2, without comments: each table has one more member at its end. Tests compile plugins and a host
 * with it. */
#ifndef PENSTOCK_PLUGIN_H
#define PENSTOCK_PLUGIN_H 
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __cplusplus
extern "C" {
#endif
#define PENSTOCK_ABI_MAJOR 1
#define PENSTOCK_ABI_MINOR 2
#if defined(__cplusplus)
#define PENSTOCK_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define PENSTOCK_EXPORT __attribute__((visibility("default")))
#endif
typedef struct penstock_text {
  const char *bytes;
  size_t length;
} penstock_text;
#if defined(__cplusplus)
#define PENSTOCK_TEXT(literal) (penstock_text{(literal), sizeof(literal) - 1})
#else
#define PENSTOCK_TEXT(literal) ((penstock_text){(literal), sizeof(literal) - 1})
#endif
static inline int penstock_text_equals(penstock_text text, const char *other) {
  return strlen(other) == text.length && (text.length == 0 || memcmp(text.bytes, other, text.length) == 0);
}
typedef int32_t penstock_status;
enum {
  PENSTOCK_OK = 0,
  PENSTOCK_FAILED = 1,
  PENSTOCK_INVALID = 2,
  PENSTOCK_ENDED = 3,
  PENSTOCK_UNKNOWN = 4,
  PENSTOCK_TOO_LARGE = 5,
  PENSTOCK_UNAVAILABLE = 6,
  PENSTOCK_DENIED = 7
};
#define PENSTOCK_PLUGIN_ENTRY_SIZE_1_0 48
#define PENSTOCK_FUNCTIONS_SIZE_1_0 40
#define PENSTOCK_HOST_SIZE_1_0 24
#define PENSTOCK_INSTANCE_SERVICE_SIZE_1_0 32
#define PENSTOCK_CONTROLLER_SERVICE_SIZE_1_0 40
#define PENSTOCK_SPECIFICATION_SERVICE_SIZE_1_0 16
#define PENSTOCK_LOG_SERVICE_SIZE_1_0 16
#define PENSTOCK_CLOCK_SERVICE_SIZE_1_0 40
#define PENSTOCK_SECRETS_SERVICE_SIZE_1_0 16
#define PENSTOCK_WORKSPACE_SERVICE_SIZE_1_0 32
#define PENSTOCK_INSTANTS_SIZE_1_1 16
#define PENSTOCK_HAS(table,member) \
  ((size_t)((const char *)(&(table)->member + 1) - (const char *)(table)) <= (table)->struct_size)
static inline int penstock_table_copy(void *to, size_t size, size_t least, const void *table) {
  uint32_t length;
  if (table == NULL) return 0;
  memcpy(&length, table, sizeof length);
  if (length < least) return 0;
  memset(to, 0, size);
  memcpy(to, table, length < size ? length : size);
  return 1;
}
typedef uint64_t penstock_id;
struct penstock_host;
typedef struct penstock_plugin_entry {
  uint32_t struct_size;
  uint16_t abi_major;
  uint16_t abi_minor;
  uint16_t abi_minor_needed;
  uint16_t reserved[3];
  penstock_text (*describe)(void);
  penstock_status (*open)(const struct penstock_host *host);
  void (*close)(void);
  const void *(*capability)(penstock_text id);
  void (*memory_is_low)(void);
} penstock_plugin_entry;
typedef struct penstock_functions {
  uint32_t struct_size;
  uint32_t reserved;
  penstock_status (*create)(penstock_id id, penstock_text offer, penstock_text settings, void **instance);
  void (*start)(void *instance, penstock_text input);
  void (*stop)(void *instance, uint64_t nanoseconds);
  void (*destroy)(void *instance);
  int32_t (*mark)(void *instance);
} penstock_functions;
#define PENSTOCK_OPERATION "penstock.operation/1"
#define PENSTOCK_CONTROLLER "penstock.controller/1"
#define PENSTOCK_SPECIFICATION "penstock.specification/1"
#define PENSTOCK_INSTANTS "penstock.instants/1"
#define PENSTOCK_MOST_INSTANTS 10000

typedef void (*penstock_take)(void *context, penstock_text answer);

typedef struct penstock_instants {
  uint32_t struct_size;
  uint32_t reserved;
  penstock_status (*between)(
    void *instance, penstock_text input, int64_t after, int64_t until, uint32_t limit, penstock_take take, void *context);
} penstock_instants;
typedef struct penstock_host {
  uint32_t struct_size;
  uint16_t abi_major;
  uint16_t abi_minor;
  const void *(*service)(const struct penstock_host *host, const char *id);
  void *implementation;
  const char *name;
} penstock_host;
#define PENSTOCK_INSTANCE "penstock.instance/1"
typedef struct penstock_instance_service {
  uint32_t struct_size;
  uint32_t reserved;
  penstock_status (*complete)(const penstock_host *host, penstock_id id, penstock_text result);
  penstock_status (*fail)(const penstock_host *host, penstock_id id, penstock_text error);
  penstock_status (*progress)(const penstock_host *host, penstock_id id, penstock_text progress);
  int32_t (*mark)(const penstock_host *host);
} penstock_instance_service;
typedef struct penstock_controller_service {
  uint32_t struct_size;
  uint32_t reserved;
  penstock_status (*yield_state)(const penstock_host *host, penstock_id id, penstock_text state);
  penstock_status (*yield_error)(const penstock_host *host, penstock_id id, penstock_text error);
  penstock_status (*yield_rerun)(const penstock_host *host, penstock_id id, penstock_text event);
  penstock_status (*yield_reset)(const penstock_host *host, penstock_id id);
  penstock_status (*left_out)(const penstock_host *host, penstock_id id, penstock_text instants);
  int32_t (*mark)(const penstock_host *host);
} penstock_controller_service;
typedef struct penstock_specification_service {
  uint32_t struct_size;
  uint32_t reserved;
  penstock_status (*changed)(const penstock_host *host, penstock_id id, int32_t value, penstock_text reason);
  int32_t (*mark)(const penstock_host *host);
} penstock_specification_service;
#define PENSTOCK_LOG "penstock.log/1"
enum { PENSTOCK_DEBUG = 0, PENSTOCK_INFO = 1, PENSTOCK_WARNING = 2, PENSTOCK_ERROR = 3 };
typedef struct penstock_log_service {
  uint32_t struct_size;
  uint32_t reserved;
  penstock_status (*log)(const penstock_host *host, penstock_id id, int32_t level, penstock_text message, penstock_text fields);
  int32_t (*mark)(const penstock_host *host);
} penstock_log_service;
#define PENSTOCK_CLOCK "penstock.clock/1"
typedef void (*penstock_timer_callback)(void *context, penstock_status status);
typedef struct penstock_clock_service {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t (*now)(const penstock_host *host);
  int64_t (*monotonic)(const penstock_host *host);
  uint64_t (*timer)(const penstock_host *host, penstock_id id, int64_t instant, penstock_timer_callback fire, void *context);
  void (*cancel_timer)(const penstock_host *host, uint64_t timer);
  int32_t (*mark)(const penstock_host *host);
} penstock_clock_service;
typedef void (*penstock_answer)(void *context, penstock_status status, penstock_text value);
#define PENSTOCK_SECRETS "penstock.secrets/1"
typedef struct penstock_secrets_service {
  uint32_t struct_size;
  uint32_t reserved;
  void (*get)(const penstock_host *host, penstock_id id, penstock_text name, penstock_answer answer, void *context);
  int32_t (*mark)(const penstock_host *host);
} penstock_secrets_service;
#define PENSTOCK_WORKSPACE "penstock.workspace/1"
typedef struct penstock_workspace_service {
  uint32_t struct_size;
  uint32_t reserved;
  void (*get)(const penstock_host *host, penstock_id id, penstock_text key, penstock_answer answer, void *context);
  void (*set)(const penstock_host *host, penstock_id id, penstock_text key, penstock_text value, penstock_answer answer, void *context);
  void (*list)(const penstock_host *host, penstock_id id, penstock_text prefix, penstock_answer answer, void *context);
  int32_t (*mark)(const penstock_host *host);
} penstock_workspace_service;
#if UINTPTR_MAX == 0xffffffffffffffffu
#if defined(__cplusplus)
#define PENSTOCK_LAYOUT(name,condition) static_assert(condition, #name)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define PENSTOCK_LAYOUT(name,condition) _Static_assert(condition, #name)
#else
#define PENSTOCK_LAYOUT(name,condition) typedef char penstock_layout_ ##name[(condition) ? 1 : -1]
#endif
PENSTOCK_LAYOUT(text_size, sizeof(penstock_text) == 16);
PENSTOCK_LAYOUT(text_length, offsetof(penstock_text, length) == 8);
PENSTOCK_LAYOUT(entry_size, sizeof(penstock_plugin_entry) >= PENSTOCK_PLUGIN_ENTRY_SIZE_1_0);
PENSTOCK_LAYOUT(entry_major, offsetof(penstock_plugin_entry, abi_major) == 4);
PENSTOCK_LAYOUT(entry_minor, offsetof(penstock_plugin_entry, abi_minor) == 6);
PENSTOCK_LAYOUT(entry_needed, offsetof(penstock_plugin_entry, abi_minor_needed) == 8);
PENSTOCK_LAYOUT(entry_describe, offsetof(penstock_plugin_entry, describe) == 16);
PENSTOCK_LAYOUT(entry_open, offsetof(penstock_plugin_entry, open) == 24);
PENSTOCK_LAYOUT(entry_close, offsetof(penstock_plugin_entry, close) == 32);
PENSTOCK_LAYOUT(entry_capability, offsetof(penstock_plugin_entry, capability) == 40);
PENSTOCK_LAYOUT(functions_size, sizeof(penstock_functions) >= PENSTOCK_FUNCTIONS_SIZE_1_0);
PENSTOCK_LAYOUT(functions_create, offsetof(penstock_functions, create) == 8);
PENSTOCK_LAYOUT(functions_destroy, offsetof(penstock_functions, destroy) == 32);
PENSTOCK_LAYOUT(host_size, sizeof(penstock_host) >= PENSTOCK_HOST_SIZE_1_0);
PENSTOCK_LAYOUT(host_last, offsetof(penstock_host, implementation) + 8 == PENSTOCK_HOST_SIZE_1_0);
PENSTOCK_LAYOUT(host_service, offsetof(penstock_host, service) == 8);
PENSTOCK_LAYOUT(instance_size, sizeof(penstock_instance_service) >= PENSTOCK_INSTANCE_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(instance_last, offsetof(penstock_instance_service, progress) + 8 == PENSTOCK_INSTANCE_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(controller_size, sizeof(penstock_controller_service) >= PENSTOCK_CONTROLLER_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(controller_last, offsetof(penstock_controller_service, yield_reset) + 8 == PENSTOCK_CONTROLLER_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(specification_size, sizeof(penstock_specification_service) >= PENSTOCK_SPECIFICATION_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(specification_last, offsetof(penstock_specification_service, changed) + 8 == PENSTOCK_SPECIFICATION_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(log_size, sizeof(penstock_log_service) >= PENSTOCK_LOG_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(log_last, offsetof(penstock_log_service, log) + 8 == PENSTOCK_LOG_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(clock_size, sizeof(penstock_clock_service) >= PENSTOCK_CLOCK_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(clock_last, offsetof(penstock_clock_service, cancel_timer) + 8 == PENSTOCK_CLOCK_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(secrets_size, sizeof(penstock_secrets_service) >= PENSTOCK_SECRETS_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(secrets_last, offsetof(penstock_secrets_service, get) + 8 == PENSTOCK_SECRETS_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(workspace_size, sizeof(penstock_workspace_service) >= PENSTOCK_WORKSPACE_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(workspace_last, offsetof(penstock_workspace_service, list) + 8 == PENSTOCK_WORKSPACE_SERVICE_SIZE_1_0);
#undef PENSTOCK_LAYOUT
#endif
#ifdef __cplusplus
}
#endif
#endif
