/* Where the archive goes: templates, and directories that are never taken from anybody. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "session/launcher.h"
#include "writer/output.h"

static const struct output_names plain = {"solve", "node7", 4711, -1, -1, NULL, NULL};
static const struct output_names in_job = {"solve", "node7", 4711, 3, 8, "99.cluster", "run/7.0"};
static const struct output_names alone = {"solve", "node7", 4711, 0, 1, NULL, NULL};
static const struct output_names of_unknown_many = {"solve", "node7", 4711, 0, -1, NULL, NULL};

static void every_letter_is_expanded(void **state) {
  static const struct {
    const char *template, *path;
    const struct output_names *names;
  } rows[] = {
      {"stave-%e-%p", "stave-solve-4711", &plain},
      {"/data/%h/x", "/data/node7/x", &plain},
      {"%e%e", "solvesolve", &plain},
      {"%r", "0", &plain},
      {"%j", "0", &plain},
      {"%r", "3", &in_job},
      {"%j-%r", "99.cluster-3", &in_job},
      {"100%%", "100%", &plain},
      {"%%e", "%e", &plain},
      {"plain", "plain", &plain},
      {"plain", "plain", &in_job},
      {"plain", "plain", &alone},
      {"plain-%r", "plain-0", &alone},
      {"plain", "plain", &of_unknown_many},
      {"%%r", "%r", &in_job},
      {"x-%p", "x-run_7.0", &in_job},
      {"x-%p-%r", "x-4711-3", &in_job},
      {"a/%r/b", "a/3/b", &in_job},
  };
  char path[64];
  bool is_job;
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    assert_int_equal(output_expand(rows[i].template, rows[i].names, path, sizeof path, &is_job), 0);
    assert_string_equal(path, rows[i].path);
  }
}

static void unknown_letters_are_refused(void **state) {
  static const char *const bad[] = {"%", "a%", "%x", "%E", "% ", "%e-%n", "%/"};
  char path[64];
  bool is_job;
  (void)state;
  for (size_t i = 0; i < COUNT(bad); i++)
    assert_int_equal(output_expand(bad[i], &plain, path, sizeof path, &is_job), -EINVAL);
}

/* A program may be called anything: no letter brings in a directory or a word of the shell. */
static void names_are_made_harmless(void **state) {
  const struct output_names names = {"../a b\n$(x)", "h/../h", 1, -1, -1, "1/2[3]", NULL};
  char path[64];
  bool is_job;
  (void)state;
  assert_int_equal(output_expand("%e:%h:%j", &names, path, sizeof path, &is_job), 0);
  assert_string_equal(path, ".._a_b___x_:h_.._h:1_2_3_");
}

static void names_that_are_too_long_are_refused(void **state) {
  char path[16];
  bool is_job;
  (void)state;
  assert_int_equal(output_expand("123456789012345", &plain, path, sizeof path, &is_job), 0);
  assert_string_equal(path, "123456789012345");
  assert_int_equal(output_expand("1234567890123456", &plain, path, sizeof path, &is_job), -ENAMETOOLONG);
  assert_int_equal(output_expand("12345678901-%e", &plain, path, sizeof path, &is_job), -ENAMETOOLONG);
  assert_int_equal(output_expand("123456789012%p", &plain, path, sizeof path, &is_job), -ENAMETOOLONG);
  assert_int_equal(output_expand("", &plain, path, sizeof path, &is_job), -ENAMETOOLONG);
}

static int enter_folder(void **state) {
  char *folder = strdup("/tmp/stave-test-output-XXXXXX");
  *state = folder;
  return folder && mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", (char *)*state);
  free(*state);
  return chdir("/") == 0 ? system(command) : -1;
}

static void make(const char *expected, const char *made) {
  char path[64];
  struct stat status;
  snprintf(path, sizeof path, "%s", expected);
  assert_int_equal(output_make_directory(path, sizeof path), 0);
  assert_string_equal(path, made);
  assert_int_equal(lstat(path, &status), 0);
  assert_true(S_ISDIR(status.st_mode));
}

static void taken_names_are_numbered(void **state) {
  (void)state;
  make("a", "a");
  make("a", "a-2");
  make("a", "a-3");
  make("a-2", "a-2-2");
  make("b/c/d", "b/c/d");
  make("b/c/d", "b/c/d-2");
  assert_int_equal(rmdir("a-2"), 0);
  make("a", "a-2");
}

static void make_rank(const char *expected, const char *run, int rank, const char *made) {
  char path[64];
  snprintf(path, sizeof path, "%s", expected);
  assert_int_equal(output_make_job_directory(path, sizeof path, run, rank), 0);
  assert_string_equal(path, made);
  assert_int_equal(access(path, W_OK), 0);
}

/* All ranks of a run share one directory, in whatever order they come, and no two runs do. */
static void ranks_of_a_run_share_a_directory(void **state) {
  (void)state;
  make_rank("j", "run 1", 1, "j/rank/1");
  make_rank("j/", "run 1", 0, "j/rank/0");
  make_rank("j", "run 2", 1, "j-2/rank/1");
  make_rank("j", "run 1", 2, "j/rank/2");
  make_rank("j", "run 2", 0, "j-2/rank/0");
  make_rank("j", "run 1", 2, "j/rank/2-2"); /* a child of that rank */
  assert_int_equal(mkdir("taken", 0700), 0);
  assert_int_equal(mkdir("taken/something", 0700), 0);
  make_rank("taken", "run 1", 0, "taken-2/rank/0");
  assert_int_equal(mkdir("empty", 0700), 0);
  make_rank("empty", "run 1", 0, "empty/rank/0");
  assert_int_equal(access("taken/rank", F_OK), -1);
}

/* Where runs cannot be distinguished, no rank is twice in a directory. */
static void ranks_of_unknown_runs_have_directories_of_their_own(void **state) {
  (void)state;
  make_rank("u/v", "", 0, "u/v/rank/0");
  make_rank("u/v", "", 1, "u/v/rank/1");
  make_rank("u/v", "", 1, "u/v-2/rank/1");
  make_rank("u/v", "", 0, "u/v-2/rank/0");
}

static void slashes_do_not_matter(void **state) {
  (void)state;
  make("a/", "a");
  make("a///", "a-2");
  make(".//b//c/", ".//b//c");
  make("./b/c", "./b/c-2");
}

static void files_are_left_alone(void **state) {
  struct stat status;
  (void)state;
  FILE *file = fopen("a", "w");
  assert_non_null(file);
  assert_int_equal(fclose(file), 0);
  make("a", "a-2");
  make("a/", "a-3");
  assert_int_equal(lstat("a", &status), 0);
  assert_true(S_ISREG(status.st_mode));
}

/* What a link in the name's place leads to is not ours; a link on the way is the user's choice. */
static void links_are_not_followed(void **state) {
  struct stat status;
  (void)state;
  assert_int_equal(mkdir("real", 0700), 0);
  assert_int_equal(symlink("real", "link"), 0);
  assert_int_equal(symlink("nowhere", "dangling"), 0);
  make("link", "link-2");
  make("dangling", "dangling-2");
  assert_int_equal(lstat("nowhere", &status), -1);
  make("link/x", "link/x");
  assert_int_equal(lstat("real/x", &status), 0);
}

static void failures_have_their_reason(void **state) {
  char path[64] = "file/x/y", edge[] = "a";
  (void)state;
  FILE *file = fopen("file", "w");
  assert_non_null(file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(output_make_directory(path, sizeof path), -ENOTDIR);
  snprintf(path, sizeof path, "dangling/x");
  assert_int_equal(symlink("nowhere", "dangling"), 0);
  assert_int_equal(output_make_directory(path, sizeof path), -ENOENT);
  assert_int_equal(output_make_directory(edge, sizeof edge), 0);
  assert_int_equal(output_make_directory(edge, sizeof edge), -ENAMETOOLONG);
}

static void modes_follow_the_umask(void **state) {
  struct stat status;
  (void)state;
  mode_t before = umask(027);
  make("p/a", "p/a");
  umask(before);
  assert_int_equal(stat("p", &status), 0);
  assert_int_equal(status.st_mode & 0777, 0750);
  assert_int_equal(stat("p/a", &status), 0);
  assert_int_equal(status.st_mode & 0777, 0750);
}

static const char *const launcher_variables[] = {
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "MV2_COMM_WORLD_RANK",
    "SLURM_PROCID",
    "SLURM_JOB_ID",
    "PBS_JOBID",
    "LSB_JOBID",
    "JOB_ID",
};

static void launchers_are_known(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(launcher_variables); i++)
    unsetenv(launcher_variables[i]);
  assert_int_equal(launcher_rank(), -1);
  assert_null(launcher_batch_job());
  for (size_t i = 0; i < COUNT(launcher_variables); i++) {
    setenv(launcher_variables[i], "12", 1);
    assert_int_equal(launcher_rank(), i < 5 ? 12 : -1);
    if (i < 5)
      assert_null(launcher_batch_job());
    else
      assert_string_equal(launcher_batch_job(), "12");
    setenv(launcher_variables[i], "", 1);
  }
  setenv("PMI_RANK", "-", 1);
  assert_int_equal(launcher_rank(), -1);
  unsetenv("PMI_RANK");
}

static void sizes_of_jobs_are_known(void **state) {
  static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                          "SLURM_NTASKS", "OMPI_MCA_orte_ess_num_procs"};
  (void)state;
  for (size_t i = 0; i < COUNT(variables); i++)
    unsetenv(variables[i]);
  for (size_t i = 0; i < COUNT(variables); i++) {
    assert_int_equal(launcher_size(), -1);
    setenv(variables[i], "4", 1);
    assert_int_equal(launcher_size(), 4);
    unsetenv(variables[i]);
  }
}

#define IN_FOLDER(function) cmocka_unit_test_setup_teardown(function, enter_folder, remove_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_letter_is_expanded),
      cmocka_unit_test(unknown_letters_are_refused),
      cmocka_unit_test(names_are_made_harmless),
      cmocka_unit_test(names_that_are_too_long_are_refused),
      IN_FOLDER(taken_names_are_numbered),
      IN_FOLDER(ranks_of_a_run_share_a_directory),
      IN_FOLDER(ranks_of_unknown_runs_have_directories_of_their_own),
      IN_FOLDER(slashes_do_not_matter),
      IN_FOLDER(files_are_left_alone),
      IN_FOLDER(links_are_not_followed),
      IN_FOLDER(failures_have_their_reason),
      IN_FOLDER(modes_follow_the_umask),
      cmocka_unit_test(launchers_are_known),
      cmocka_unit_test(sizes_of_jobs_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
