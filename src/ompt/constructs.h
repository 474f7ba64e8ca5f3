/* What a region can be: a construct of OpenMP, a routine of its library, or what else is in archives. */
#ifndef STAVE_OMPT_CONSTRUCTS_H
#define STAVE_OMPT_CONSTRUCTS_H

enum construct {
#define CONSTRUCT(id, ...) CONSTRUCT_##id,
#include "ompt/constructs.def"
#undef CONSTRUCT
  CONSTRUCT_COUNT
};

/* How its regions are named: see the table. */
enum construct_kind {
  CONSTRUCT_KIND_omp,
  CONSTRUCT_KIND_routine,
  CONSTRUCT_KIND_user,
  CONSTRUCT_KIND_own,
  CONSTRUCT_KIND_function,
  CONSTRUCT_KIND_mpi,
  CONSTRUCT_KIND_cuda,
  CONSTRUCT_KIND_foreign,
};

/* What those who look for kinds of constructs compare with. */
enum construct_class {
  CONSTRUCT_CLASS_none, /* the program's functions, Stave's own words: not OpenMP's */
  CONSTRUCT_CLASS_team, /* makes a team, or is an implicit task of one */
  CONSTRUCT_CLASS_barrier,
  CONSTRUCT_CLASS_task_sync, /* waits for tasks */
  CONSTRUCT_CLASS_wait,      /* the waiting inside of a synchronisation region */
  CONSTRUCT_CLASS_work,      /* what OMPT reports as work (ompt_work_t): worksharing, distribute, taskloop */
  CONSTRUCT_CLASS_dispatch,  /* a part of such a region: a chunk, a section */
  CONSTRUCT_CLASS_task,      /* an explicit task at work */
  CONSTRUCT_CLASS_mutex,     /* around an acquired lock, or leads to one */
  CONSTRUCT_CLASS_depend,    /* shows what a task depends on; a point */
  CONSTRUCT_CLASS_doacross,  /* shows what an iteration depends on; a point */
  CONSTRUCT_CLASS_target,    /* on the host: a target construct, or an operation on a device */
  CONSTRUCT_CLASS_kernel,    /* on a device: what it runs, or has recorded itself */
  CONSTRUCT_CLASS_openmp,    /* OpenMP's, of no other class */
};

#endif
