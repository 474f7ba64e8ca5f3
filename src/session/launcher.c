#include "session/launcher.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/process_stat.h"

enum { ANCESTORS_MAX = 8 };

static const char *first_of(const char *const *names) {
  for (; *names; names++) {
    const char *value = getenv(*names);
    if (value && *value)
      return value;
  }
  return NULL;
}

static int number_of(const char *const *names) {
  const char *value = first_of(names);
  return value && isdigit((unsigned char)*value) ? atoi(value) : -1;
}

int launcher_rank(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",    "PMI_RANK",
                                      "MV2_COMM_WORLD_RANK",  "SLURM_PROCID", NULL};
  return number_of(names);
}

/* The fifth is what MPI_Init of Open MPI sets in a program that no launcher has started. */
int launcher_size(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE",        "PMI_SIZE",
                                      "MV2_COMM_WORLD_SIZE",         "SLURM_NTASKS",
                                      "OMPI_MCA_orte_ess_num_procs", NULL};
  return number_of(names);
}

bool launcher_has_many(void) {
  return launcher_rank() >= 0 && launcher_size() != 1;
}

const char *launcher_batch_job(void) {
  static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", NULL};
  return first_of(names);
}

/* -- which run -- */

static pid_t parent_of(pid_t process) {
  enum { PARENT = 4 };
  char text[PROCESS_STAT_BYTES];
  const char *parent = process_stat_field(process_stat(process, 0, text), PARENT);
  return parent ? atoi(parent) : 0;
}

/* Hydra (MPICH, Intel MPI) gives its ranks nothing by which runs differ, but each node's proxy where mpiexec
 * listens. */
static void read_control_port(pid_t process, char *ret) {
  static const char option[] = "--control-port";
  char path[64], text[4096];
  snprintf(path, sizeof path, "/proc/%d/cmdline", (int)process);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0)
    close(fd);
  text[length > 0 ? length : 0] = '\0';
  for (ssize_t at = 0; at < length; at += (ssize_t)strlen(text + at) + 1)
    if (strcmp(text + at, option) == 0 && at + (ssize_t)sizeof option < length)
      snprintf(ret, LAUNCHER_RUN_BYTES, "%.100s", text + at + sizeof option);
}

void launcher_run(pid_t process, char *ret) {
  const char *job = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID");
  const char *open_mpi = first_of((const char *const[]){"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", NULL});
  *ret = '\0';
  if (open_mpi)
    snprintf(ret, LAUNCHER_RUN_BYTES, "%.100s", open_mpi);
  else if (job && step)
    snprintf(ret, LAUNCHER_RUN_BYTES, "%.50s.%.50s", job, step);
  for (int i = 0; !*ret && getenv("PMI_RANK") && process > 1 && i < ANCESTORS_MAX; i++) {
    process = parent_of(process);
    read_control_port(process, ret);
  }
}
