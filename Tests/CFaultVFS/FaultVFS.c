#include "FaultVFS.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { most_plans = 16 };

// Tests of several suites run concurrently, each with its own plan. A lock suffices, because performance does not matter.
static struct {
  pthread_mutex_t lock;
  struct {
    char prefix[512];
    int calls, lasting, code, error;
    int64_t nth, count, failed;
  } plans[most_plans];
} armed = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { most_images = 64, most_syncs = 256 };

// Tests of several suites run concurrently, each with its own image.
static struct {
  pthread_mutex_t lock;
  struct {
    char prefix[512], directory[512];
    char synced[most_syncs][16];
    int count, is_used;
  } images[most_images];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

typedef struct {
  sqlite3_file base;
  sqlite3_io_methods methods;
  const char *path;
  // The file of the real file system follows in memory.
} fault_file;

static sqlite3_vfs *real_vfs;
static sqlite3_vfs fault_vfs;

static sqlite3_file *real(sqlite3_file *file) {
  return (sqlite3_file *)((char *)file + ((sizeof(fault_file) + 15) & ~(size_t)15));
}

static int concerns(int index, const char *path) {
  return armed.plans[index].calls && path && strncmp(path, armed.plans[index].prefix, strlen(armed.plans[index].prefix)) == 0;
}

/// Returns the error that the call must return; 0 if the call is to be made.
static int fault(const char *path, int call) {
  int code = SQLITE_OK;
  pthread_mutex_lock(&armed.lock);
  for (int index = 0; index < most_plans; index++) {
    if (!concerns(index, path) || !(armed.plans[index].calls & call)) continue;
    int64_t count = ++armed.plans[index].count, nth = armed.plans[index].nth;
    if (count == nth || (armed.plans[index].lasting && count > nth)) {
      armed.plans[index].failed++;
      code = armed.plans[index].code;
    }
  }
  pthread_mutex_unlock(&armed.lock);
  return code;
}

int fault_arm(const char *prefix, int calls, int64_t nth, int lasting, int code, int error) {
  int number = -1;
  pthread_mutex_lock(&armed.lock);
  for (int index = 0; index < most_plans; index++) {
    if (armed.plans[index].calls && strcmp(armed.plans[index].prefix, prefix) == 0) number = index;
  }
  for (int index = 0; index < most_plans && number < 0; index++) {
    if (!armed.plans[index].calls) number = index;
  }
  if (number >= 0) {
    memset(&armed.plans[number], 0, sizeof armed.plans[number]);
    strncpy(armed.plans[number].prefix, prefix, sizeof armed.plans[number].prefix - 1);
    armed.plans[number].calls = calls;
    armed.plans[number].nth = nth;
    armed.plans[number].lasting = lasting;
    armed.plans[number].code = code;
    armed.plans[number].error = error;
  }
  pthread_mutex_unlock(&armed.lock);
  return number;
}

int64_t fault_disarm(const char *prefix) {
  int64_t failed = 0;
  pthread_mutex_lock(&armed.lock);
  for (int index = 0; index < most_plans; index++) {
    if (!armed.plans[index].calls || strcmp(armed.plans[index].prefix, prefix) != 0) continue;
    failed += armed.plans[index].failed;
    armed.plans[index].calls = 0;
  }
  pthread_mutex_unlock(&armed.lock);
  return failed;
}

int fault_image_begin(const char *prefix, const char *directory) {
  int number = -1;
  pthread_mutex_lock(&kept.lock);
  for (int index = 0; index < most_images && number < 0; index++) {
    if (!kept.images[index].is_used) number = index;
  }
  if (number >= 0) {
    memset(&kept.images[number], 0, sizeof kept.images[number]);
    strncpy(kept.images[number].prefix, prefix, sizeof kept.images[number].prefix - 1);
    strncpy(kept.images[number].directory, directory, sizeof kept.images[number].directory - 1);
    kept.images[number].is_used = 1;
  }
  pthread_mutex_unlock(&kept.lock);
  return number;
}

int64_t fault_image_syncs(int image, const char *suffix) {
  int64_t count = 0;
  pthread_mutex_lock(&kept.lock);
  for (int index = 0; index < kept.images[image].count && index < most_syncs; index++) {
    const char *name = kept.images[image].synced[index];
    if (strlen(name) >= strlen(suffix) && strcmp(name + strlen(name) - strlen(suffix), suffix) == 0) count++;
  }
  pthread_mutex_unlock(&kept.lock);
  return count;
}

void fault_image_end(int image) {
  pthread_mutex_lock(&kept.lock);
  kept.images[image].is_used = 0;
  pthread_mutex_unlock(&kept.lock);
}

/// Copies a synced file. Uses SQLite's functions: closing the database file would release the whole process's locks on it.
static int copy(sqlite3_file *file, const char *target) {
  sqlite3_int64 size = 0;
  char bytes[4096];
  int code = real(file)->pMethods->xFileSize(real(file), &size);
  FILE *output = code ? NULL : fopen(target, "wb");
  if (!output) return SQLITE_IOERR_WRITE;
  for (sqlite3_int64 done = 0; done < size && !code;) {
    int count = size - done < (sqlite3_int64)sizeof bytes ? (int)(size - done) : (int)sizeof bytes;
    code = real(file)->pMethods->xRead(real(file), bytes, count, done);
    if (!code && fwrite(bytes, 1, (size_t)count, output) != (size_t)count) code = SQLITE_IOERR_WRITE;
    done += count;
  }
  return fclose(output) == 0 ? code : SQLITE_IOERR_WRITE;
}

static int keep(sqlite3_file *file) {
  const char *path = ((fault_file *)file)->path;
  int code = SQLITE_OK;
  if (!path) return code;
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  pthread_mutex_lock(&kept.lock);
  for (int index = 0; index < most_images && !code; index++) {
    if (!kept.images[index].is_used || strncmp(path, kept.images[index].prefix, strlen(kept.images[index].prefix)) != 0) continue;
    char target[1024];
    snprintf(target, sizeof target, "%s/%s", kept.images[index].directory, name);
    code = copy(file, target);
    if (kept.images[index].count < most_syncs) {
      size_t length = strlen(name);
      strncpy(kept.images[index].synced[kept.images[index].count++], name + (length > 15 ? length - 15 : 0), 15);
    }
  }
  pthread_mutex_unlock(&kept.lock);
  return code;
}

static int close_file(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int read_file(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  int code = fault(((fault_file *)file)->path, fault_reads);
  return code ? code : real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int write_file(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  int code = fault(((fault_file *)file)->path, fault_writes);
  if (!code) return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
  real(file)->pMethods->xWrite(real(file), bytes, count / 2, offset);
  return code;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
  int code = fault(((fault_file *)file)->path, fault_truncations);
  return code ? code : real(file)->pMethods->xTruncate(real(file), size);
}

static int sync_file(sqlite3_file *file, int flags) {
  int code = fault(((fault_file *)file)->path, fault_syncs);
  if (!code) code = real(file)->pMethods->xSync(real(file), flags);
  return code ? code : keep(file);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) { return real(file)->pMethods->xFileSize(real(file), size); }
static int lock_file(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int unlock_file(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }

static int check_lock(sqlite3_file *file, int *result) {
  return real(file)->pMethods->xCheckReservedLock(real(file), result);
}

static int control_file(sqlite3_file *file, int operation, void *argument) {
  int code = real(file)->pMethods->xFileControl(real(file), operation, argument);
  if (operation == SQLITE_FCNTL_LAST_ERRNO) {
    pthread_mutex_lock(&armed.lock);
    for (int index = 0; index < most_plans; index++) {
      if (concerns(index, ((fault_file *)file)->path) && armed.plans[index].failed) *(int *)argument = armed.plans[index].error;
    }
    pthread_mutex_unlock(&armed.lock);
  }
  return code;
}

static int sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int characteristics(sqlite3_file *file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }

static int map_memory(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
  int code = fault(((fault_file *)file)->path, fault_shared_memory);
  return code ? code : real(file)->pMethods->xShmMap(real(file), page, size, extend, memory);
}

static int lock_memory(sqlite3_file *file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void memory_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int unmap_memory(sqlite3_file *file, int remove) { return real(file)->pMethods->xShmUnmap(real(file), remove); }

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *result) {
  (void)vfs;
  fault_file *own = (fault_file *)file;
  own->base.pMethods = NULL;
  int code = fault(path, fault_opens);
  if (!code) code = real_vfs->xOpen(real_vfs, path, real(file), flags, result);
  if (code || !real(file)->pMethods) return code;
  own->path = path;
  own->methods = (sqlite3_io_methods){
      .iVersion = real(file)->pMethods->iVersion < 2 ? 1 : 2,
      .xClose = close_file,
      .xRead = read_file,
      .xWrite = write_file,
      .xTruncate = truncate_file,
      .xSync = sync_file,
      .xFileSize = file_size,
      .xLock = lock_file,
      .xUnlock = unlock_file,
      .xCheckReservedLock = check_lock,
      .xFileControl = control_file,
      .xSectorSize = sector_size,
      .xDeviceCharacteristics = characteristics,
      .xShmMap = map_memory,
      .xShmLock = lock_memory,
      .xShmBarrier = memory_barrier,
      .xShmUnmap = unmap_memory,
  };
  own->base.pMethods = &own->methods;
  return SQLITE_OK;
}

int fault_install(void) {
  static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&once);
  int code = SQLITE_OK;
  if (!real_vfs) {
    code = sqlite3_initialize();
    if (!code) {
      real_vfs = sqlite3_vfs_find(NULL);
      // All methods except `xOpen` are the real ones: they access their own data, which is copied.
      fault_vfs = *real_vfs;
      fault_vfs.zName = "fault";
      fault_vfs.pNext = NULL;
      fault_vfs.szOsFile = (int)((sizeof(fault_file) + 15) & ~(size_t)15) + real_vfs->szOsFile;
      fault_vfs.xOpen = open_file;
      code = sqlite3_vfs_register(&fault_vfs, 1);
    }
  }
  pthread_mutex_unlock(&once);
  return code;
}
