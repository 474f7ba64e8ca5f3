/* stave config --mpi. */
#ifndef STAVE_CLI_CONFIG_CONFIG_MPI_H
#define STAVE_CLI_CONFIG_CONFIG_MPI_H

/* Prints how each launcher of MPI gives the ranks what they need to be traced, and the variables of Stave's
 * that are set. Returns the exit status. */
int config_print_mpi(void);

#endif
