#include "floor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int floor_fail(const char *what, int error) {
  fprintf(stderr, "floor: %s: %s\n", what, strerror(error));
  return 1;
}

static int usage(void) {
  fputs("usage: floor spawn COUNT CONCURRENCY -- COMMAND...\n"
        "       floor cats COUNT FIRST-FILE DIRECTORY\n"
        "       floor inserts COUNT NEW-DATABASE\n",
        stderr);
  return 2;
}

int main(int argc, char **argv) {
  if (argc < 4) return usage();
  long count = strtol(argv[2], NULL, 10);
  if (count < 1) return usage();
  if (strcmp(argv[1], "spawn") == 0 && argc > 5 && strcmp(argv[4], "--") == 0) {
    long concurrency = strtol(argv[3], NULL, 10);
    return concurrency < 1 ? usage() : floor_spawn(count, concurrency, argv + 5);
  }
  if (strcmp(argv[1], "cats") == 0 && argc == 5) return floor_cats(count, argv[3], argv[4]);
  if (strcmp(argv[1], "inserts") == 0 && argc == 4) return floor_inserts(count, argv[3]);
  return usage();
}
