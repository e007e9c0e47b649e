#define _GNU_SOURCE
#include "signals.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A path can come to lead to another file at any of its parts: a directory is moved away and replaced, a link is changed, a missing part appears.
 * So every directory on the path is watched for being moved or deleted itself, which is rare. Its entries are watched only where necessary: in the last
 * directory, in one whose next part is missing, and in one whose next part is a symbolic link. Links are not followed part by part: changes on the
 * path behind a link are not noticed.
 */
#define ITSELF (IN_MOVE_SELF | IN_DELETE_SELF)
#define ENTRIES (IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
#define CONTENT (IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB)

/* The interest of one instance in one watch. */
struct interest {
  struct watch *watch;
  struct instance *instance;
  uint32_t mask;
  /* The relevant entry; NULL for the watched file or directory itself. */
  char *entry;
  struct interest *next_of_watch, *next_of_instance;
};

/* A file or directory that the kernel watches: one watch each, for any number of interests. */
struct watch {
  int descriptor;
  struct interest *interests;
  struct watch *next;
};

#define BUCKETS 1024
static struct watch *watches[BUCKETS];
static int inotify = -1;

static struct watch **place_of(int descriptor) {
  struct watch **link = &watches[(unsigned)descriptor % BUCKETS];
  while (*link != NULL && (*link)->descriptor != descriptor) link = &(*link)->next;
  return link;
}

int begin_watches(void) {
  inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  return inotify >= 0 ? inotify : -errno;
}

void end_watches(void) {
  if (inotify >= 0) close(inotify);
  inotify = -1;
}

/* Adds an interest of the instance in the file or directory at `path`. Returns 0, or the error number. */
static int add_interest(struct instance *instance, const char *path, uint32_t mask, const char *entry) {
  struct interest *interest;
  struct watch **place;
  int descriptor = inotify_add_watch(inotify, path, mask | IN_MASK_ADD);
  if (descriptor < 0) return errno;
  place = place_of(descriptor);
  if (*place == NULL) {
    struct watch *watch = (struct watch *)calloc(1, sizeof *watch);
    if (watch == NULL) {
      inotify_rm_watch(inotify, descriptor);
      return ENOMEM;
    }
    watch->descriptor = descriptor;
    *place = watch;
  }
  interest = (struct interest *)calloc(1, sizeof *interest);
  if (interest != NULL && entry != NULL && (interest->entry = strdup(entry)) == NULL) {
    free(interest);
    interest = NULL;
  }
  if (interest == NULL) {
    if ((*place)->interests == NULL) {
      struct watch *watch = *place;
      *place = watch->next;
      inotify_rm_watch(inotify, descriptor);
      free(watch);
    }
    return ENOMEM;
  }
  interest->watch = *place;
  interest->instance = instance;
  interest->mask = mask;
  interest->next_of_watch = (*place)->interests;
  (*place)->interests = interest;
  interest->next_of_instance = instance->interests;
  instance->interests = interest;
  return 0;
}

static void remove_interests(struct interest *interest) {
  while (interest != NULL) {
    struct interest *next = interest->next_of_instance;
    struct watch *watch = interest->watch;
    if (watch != NULL) {
      struct interest **link = &watch->interests;
      while (*link != interest) link = &(*link)->next_of_watch;
      *link = interest->next_of_watch;
      if (watch->interests == NULL) {
        *place_of(watch->descriptor) = watch->next;
        inotify_rm_watch(inotify, watch->descriptor);
        free(watch);
      }
    }
    free(interest->entry);
    free(interest);
    interest = next;
  }
}

static int is_link(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

/* Adds the interests along an absolute path, which is split into its parts temporarily. */
static int add_interests(struct instance *instance, char *path) {
  char *part = path;
  int error = add_interest(instance, "/", ITSELF, NULL);
  if (error != 0) return error;
  for (;;) {
    char *end, saved, *directory_end;
    const char *directory;
    char entry[NAME_MAX + 1];
    int is_last, attempt;
    while (*part == '/') part++;
    if (*part == 0) return 0;
    end = part + strcspn(part, "/");
    if (end - part > NAME_MAX) return ENAMETOOLONG;
    memcpy(entry, part, (size_t)(end - part));
    entry[end - part] = 0;
    is_last = end[strspn(end, "/")] == 0;
    saved = *end;
    *end = 0;
    /* The part's directory, and the part itself, as separate paths. */
    directory_end = part - 1;
    for (attempt = 0; attempt < 2; attempt++) {
      int wants_entries = is_last || attempt > 0 || is_link(path);
      if (wants_entries) {
        char kept = *directory_end;
        *directory_end = 0;
        directory = directory_end == path ? "/" : path;
        error = add_interest(instance, directory, ENTRIES | (is_last ? CONTENT : 0), entry);
        *directory_end = kept;
        if (error != 0) break;
      }
      /* A file is watched through its directory, except behind a link. */
      if (is_last && !is_link(path)) {
        error = 0;
        break;
      }
      error = add_interest(instance, path, is_last ? CONTENT | ITSELF : ITSELF, NULL);
      /* Missing or not permitted: a replacement is noticed in the directory, even one that has just appeared. */
      if (error == 0 || wants_entries) break;
    }
    *end = saved;
    if (error == ENOENT || error == ENOTDIR) return 0;
    if (error != 0) return error;
    if (is_last) return 0;
    part = end;
  }
}

int watch_path(struct instance *instance) {
  /* Add the new interests before removing the old ones, so that the kernel keeps the watches that both have. */
  struct interest *former = instance->interests;
  int error;
  instance->interests = NULL;
  error = add_interests(instance, instance->path);
  remove_interests(former);
  return error;
}

void unwatch_path(struct instance *instance) {
  struct interest *former = instance->interests;
  instance->interests = NULL;
  remove_interests(former);
}

/* Removes a watch that the kernel has ended, because its target was deleted or the file system unmounted. */
static void forget(struct watch *watch) {
  struct interest *interest;
  *place_of(watch->descriptor) = watch->next;
  for (interest = watch->interests; interest != NULL; interest = interest->next_of_watch) interest->watch = NULL;
  free(watch);
}

static void concern(const struct inotify_event *event) {
  struct watch *watch = *place_of(event->wd);
  struct interest *interest;
  if (watch == NULL) return;
  pthread_mutex_lock(&lock);
  for (interest = watch->interests; interest != NULL; interest = interest->next_of_watch) {
    int is_about = event->mask & (IN_IGNORED | IN_UNMOUNT);
    if (event->mask & interest->mask) {
      is_about |= interest->entry == NULL ? event->len == 0 : event->len > 0 && strcmp(interest->entry, event->name) == 0;
    }
    if (is_about) enqueue(interest->instance);
  }
  pthread_mutex_unlock(&lock);
  if (event->mask & IN_IGNORED) forget(watch);
}

/* Queues all instances: events were lost, so anything that is watched may have changed. */
static void concern_all(void) {
  size_t bucket;
  pthread_mutex_lock(&lock);
  for (bucket = 0; bucket < BUCKETS; bucket++) {
    struct watch *watch;
    for (watch = watches[bucket]; watch != NULL; watch = watch->next) {
      struct interest *interest;
      for (interest = watch->interests; interest != NULL; interest = interest->next_of_watch) enqueue(interest->instance);
    }
  }
  pthread_mutex_unlock(&lock);
}

void read_watches(void) {
  char buffer[16 * 1024] __attribute__((aligned(8)));
  ssize_t count;
  while ((count = read(inotify, buffer, sizeof buffer)) > 0) {
    ssize_t at = 0;
    while (at < count) {
      const struct inotify_event *event = (const struct inotify_event *)(const void *)(buffer + at);
      if (event->mask & IN_Q_OVERFLOW) concern_all();
      else concern(event);
      at += (ssize_t)(sizeof *event + event->len);
    }
  }
}
