/* What the parts of the program everything share. */
#ifndef EVERYTHING_H
#define EVERYTHING_H

#include <mpi.h>

enum { COUNT = 8, RANKS_MOST = 64 };

extern int rank, size;

void expect(int is_right, const char *file, int line);

#define EXPECT(condition) expect(condition, __FILE__, __LINE__)

int left(void);
int right(void);

/* The archive should have `count` more events of this kind of this rank. */
void did(const char *kind, long count);

void windows(int has_threads);
void files(const char *folder);

#endif
