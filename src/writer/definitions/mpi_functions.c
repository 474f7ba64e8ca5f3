#include "writer/definitions/mpi_functions.h"

static const struct {
  const char *name;
  OTF2_RegionRole role;
} functions[] = {
#define PLAIN(name, parameters, class, role) {"MPI_" #name, OTF2_REGION_ROLE_##role},
#define SPECIAL(name, parameters, class, role, ...) PLAIN(name, parameters, class, role)
#include "mpi/functions.def"
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

const char *mpi_function_name(uint32_t number) {
  return number < FUNCTIONS ? functions[number].name : "MPI";
}

OTF2_RegionRole mpi_function_role(uint32_t number) {
  return number < FUNCTIONS ? functions[number].role : OTF2_REGION_ROLE_WRAPPER;
}
