/* What control groups let a process use, by folders like those of the kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "base/quota.h"

enum { PATH_BYTES = 256 };

/* A folder of its own for each test, gone at its end. */
struct groups {
  char folder[64], cgroup[PATH_BYTES], mountinfo[PATH_BYTES];
};

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static void write_in(const struct groups *groups, const char *name, const char *text) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/%s", groups->folder, name);
  write_file(path, text);
}

static void make_folder(const struct groups *groups, const char *name) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/%s", groups->folder, name);
  assert_int_equal(mkdir(path, 0700), 0);
}

static int make_groups(void **state) {
  static struct groups groups;
  snprintf(groups.folder, sizeof groups.folder, "/tmp/stave-quota-XXXXXX");
  if (!mkdtemp(groups.folder))
    return -1;
  snprintf(groups.cgroup, sizeof groups.cgroup, "%s/cgroup", groups.folder);
  snprintf(groups.mountinfo, sizeof groups.mountinfo, "%s/mountinfo", groups.folder);
  make_folder(&groups, "fs");
  make_folder(&groups, "fs/pod");
  make_folder(&groups, "fs/pod/job");
  *state = &groups;
  return 0;
}

static int remove_groups(void **state) {
  static const char *const names[] = {"fs/pod/job/cpu.max",
                                      "fs/pod/job/cpu.stat",
                                      "fs/pod/job/cpu.cfs_quota_us",
                                      "fs/pod/cpu.max",
                                      "fs/pod/cpu.stat",
                                      "fs/pod/job/cpu.cfs_period_us",
                                      "fs/cpu.stat",
                                      "cgroup",
                                      "mountinfo"};
  static const char *const folders[] = {"fs/pod/job", "fs/pod", "fs/a b", "fs", "."};
  const struct groups *groups = *state;
  char path[PATH_BYTES];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", groups->folder, names[i]);
    unlink(path);
  }
  for (size_t i = 0; i + 1 < sizeof folders / sizeof *folders; i++) {
    snprintf(path, sizeof path, "%s/%s", groups->folder, folders[i]);
    rmdir(path);
  }
  return rmdir(groups->folder);
}

/* `root`: of the mount, as the kernel's line has it. */
static struct quota find(const struct groups *groups, const char *cgroup, const char *root,
                         const char *type) {
  struct quota quota;
  char line[2 * PATH_BYTES];
  snprintf(line, sizeof line,
           "22 1 0:20 / /proc rw - proc proc rw\n30 24 0:26 %s %s/fs rw,nosuid shared:4 - %s none rw,cpu\n",
           root, groups->folder, type);
  write_file(groups->mountinfo, line);
  write_file(groups->cgroup, cgroup);
  quota_find(&quota, groups->cgroup, groups->mountinfo);
  return quota;
}

static void is(struct quota *quota, double processors, uint64_t throttled_ns) {
  assert_true(quota->processors > processors - 1e-9 && quota->processors < processors + 1e-9);
  assert_true(quota_throttled_ns(quota) == throttled_ns);
  quota_close(quota);
}

static void version_2_of_a_group_above(void **state) {
  struct groups *groups = *state;
  write_in(groups, "fs/pod/cpu.max", "150000 100000\n");
  write_in(groups, "fs/pod/cpu.stat", "usage_usec 7\nnr_periods 3\nnr_throttled 2\nthrottled_usec 1234\n");
  write_in(groups, "fs/pod/job/cpu.max", "max 100000\n");
  write_in(groups, "fs/pod/job/cpu.stat", "usage_usec 7\nthrottled_usec 99\n");
  struct quota quota = find(groups, "0::/pod/job\n", "/", "cgroup2");
  is(&quota, 1.5, 1234000);
}

static void the_smallest_counts(void **state) {
  struct groups *groups = *state;
  write_in(groups, "fs/pod/cpu.max", "150000 100000\n");
  write_in(groups, "fs/pod/cpu.stat", "throttled_usec 1234\n");
  write_in(groups, "fs/pod/job/cpu.max", "25000 50000\n");
  write_in(groups, "fs/pod/job/cpu.stat", "throttled_usec 99\n");
  struct quota quota = find(groups, "0::/pod/job\n", "/", "cgroup2");
  is(&quota, 0.5, 99000);
}

static void no_quota_is_no_limit(void **state) {
  struct groups *groups = *state;
  write_in(groups, "fs/pod/cpu.max", "max 100000\n");
  write_in(groups, "fs/pod/cpu.stat", "throttled_usec 1234\n");
  struct quota quota = find(groups, "0::/pod\n", "/", "cgroup2");
  is(&quota, 0, 0);
}

/* A container sees its own group as the root of the mount. */
static void a_containers_quota_is_found(void **state) {
  struct groups *groups = *state;
  write_in(groups, "fs/pod/cpu.max", "50000 100000\n");
  write_in(groups, "fs/pod/cpu.stat", "throttled_usec 5\n");
  struct quota quota = find(groups, "0::/docker/1f2e/pod\n", "/docker/1f2e", "cgroup2");
  is(&quota, 0.5, 5000);
  quota = find(groups, "0::/pod\n", "/", "cgroup2"); /* with a namespace of its own */
  is(&quota, 0.5, 5000);
}

static void version_1_of_a_group_is_read(void **state) {
  struct groups *groups = *state;
  write_in(groups, "fs/pod/job/cpu.cfs_quota_us", "30000\n");
  write_in(groups, "fs/pod/job/cpu.cfs_period_us", "100000\n");
  write_in(groups, "fs/pod/job/cpu.stat", "nr_periods 3\nnr_throttled 2\nthrottled_time 77\n");
  struct quota quota = find(groups, "5:memory:/\n4:cpu,cpuacct:/pod/job\n0::/elsewhere\n", "/", "cgroup");
  is(&quota, 0.3, 77);
  write_in(groups, "fs/pod/job/cpu.cfs_quota_us", "-1\n");
  quota = find(groups, "4:cpu,cpuacct:/pod/job\n", "/", "cgroup");
  is(&quota, 0, 0);
}

/* The kernel writes a blank as \040. */
static void odd_paths_are_no_quota(void **state) {
  struct groups *groups = *state;
  char line[2 * PATH_BYTES], path[PATH_BYTES];
  struct quota quota;
  make_folder(groups, "fs/a b");
  write_in(groups, "fs/a b/cpu.max", "40000 100000\n");
  write_in(groups, "fs/a b/cpu.stat", "throttled_usec 3\n");
  snprintf(line, sizeof line, "30 24 0:26 / %s/fs/a\\040b rw - cgroup2 none rw\n", groups->folder);
  write_file(groups->mountinfo, line);
  write_file(groups->cgroup, "0::/\n");
  quota_find(&quota, groups->cgroup, groups->mountinfo);
  is(&quota, 0.4, 3000);
  snprintf(path, sizeof path, "%s/fs/a b/cpu.max", groups->folder);
  unlink(path);
  snprintf(path, sizeof path, "%s/fs/a b/cpu.stat", groups->folder);
  unlink(path);
}

static void without_groups_there_is_no_quota(void **state) {
  struct quota quota;
  (void)state;
  quota_find(&quota, "/nonexistent/cgroup", "/nonexistent/mountinfo");
  is(&quota, 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(version_2_of_a_group_above, make_groups, remove_groups),
      cmocka_unit_test_setup_teardown(the_smallest_counts, make_groups, remove_groups),
      cmocka_unit_test_setup_teardown(no_quota_is_no_limit, make_groups, remove_groups),
      cmocka_unit_test_setup_teardown(a_containers_quota_is_found, make_groups, remove_groups),
      cmocka_unit_test_setup_teardown(version_1_of_a_group_is_read, make_groups, remove_groups),
      cmocka_unit_test_setup_teardown(odd_paths_are_no_quota, make_groups, remove_groups),
      cmocka_unit_test(without_groups_there_is_no_quota),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
