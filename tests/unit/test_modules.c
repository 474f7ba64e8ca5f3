/* Which module covers an address, as modules come and go. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "writer/symbols/modules.h"

static void nonsense_is_refused(void **state) {
  struct modules *modules = modules_create();
  (void)state;
  assert_non_null(modules);
  assert_int_equal(modules_add(modules, 0x1000, 0, 0, "a", NULL, 0), -EINVAL);
  assert_int_equal(modules_add(modules, UINT64_MAX, 2, 0, "a", NULL, 0), -EINVAL);
  assert_int_equal(modules_add(modules, 0x1000, 1, 0, NULL, NULL, 0), -EINVAL);
  assert_int_equal(modules_add(modules, 0x1000, 1, 0, "a", (const uint8_t *)"", MODULE_BUILD_ID_MAX + 1),
                   -EINVAL);
  assert_null(modules_find(modules, 0x1000));
  modules_destroy(modules);
}

static void modules_cover_and_uncover(void **state) {
  struct modules *modules = modules_create();
  (void)state;
  assert_non_null(modules);
  assert_null(modules_find(modules, 0));
  assert_int_equal(modules_add(modules, 0x1000, 0x3000, 0x1000, "a", NULL, 0), 0);
  assert_int_equal(modules_add(modules, 0x5000, 0x1000, 0x5000, "b", NULL, 0), 0);
  const struct module *a = modules_find(modules, 0x1000), *b = modules_find(modules, 0x5fff);
  assert_string_equal(a->path, "a");
  assert_string_equal(b->path, "b");
  assert_null(modules_find(modules, 0xfff));
  assert_null(modules_find(modules, 0x4000));
  assert_null(modules_find(modules, 0x6000));
  /* reported again: the same module */
  assert_int_equal(modules_add(modules, 0x1000, 0x3000, 0x1000, "a", NULL, 0), 0);
  assert_ptr_equal(modules_find(modules, 0x1000), a);
  /* in a's gap */
  assert_int_equal(modules_add(modules, 0x2000, 0x1000, 0x2000, "c", NULL, 0), 0);
  assert_ptr_equal(modules_find(modules, 0x1fff), a);
  assert_string_equal(modules_find(modules, 0x2000)->path, "c");
  assert_string_equal(modules_find(modules, 0x2fff)->path, "c");
  assert_ptr_equal(modules_find(modules, 0x3000), a);
  /* over the end of a, all between, and the beginning of b */
  assert_int_equal(modules_add(modules, 0x1800, 0x4000, 0, "d", NULL, 0), 0);
  assert_ptr_equal(modules_find(modules, 0x17ff), a);
  assert_string_equal(modules_find(modules, 0x1800)->path, "d");
  assert_string_equal(modules_find(modules, 0x57ff)->path, "d");
  assert_ptr_equal(modules_find(modules, 0x5800), b);
  assert_string_equal(a->path, "a");
  modules_destroy(modules);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(modules_cover_and_uncover),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
