/* `stave check` with more than 32 rules (many_rules/check/rules.def): check_many_rules check ARGUMENTS */
#include "cli/check/cmd_check.h"

int main(int argc, char **argv) {
  return argc > 1 ? cmd_check(argc - 1, argv + 1) : 2;
}
