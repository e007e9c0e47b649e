#define _GNU_SOURCE
#include <ftw.h>
#include <stdio.h>

#include "CProcess.h"

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status;
  (void)kind;
  (void)place;
  remove(path);
  return 0;
}

void penstock_remove_tree(const char *path) { nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }
