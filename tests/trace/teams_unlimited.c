// Leagues on the host of as many teams as the runtime likes, one after the other, with regions in their
// teams.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int teams = 0, threads = 0;
  for (int i = 0; i < 3; i++) {
#pragma omp teams
    {
      if (omp_get_team_num() == 0)
        teams = omp_get_num_teams();
#pragma omp parallel num_threads(2)
#pragma omp atomic
      threads++;
    }
  }
  printf("%d\n", threads == 3 * 2 * teams);
  return 0;
}
