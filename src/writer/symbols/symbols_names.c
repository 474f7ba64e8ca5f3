#include "writer/symbols/symbols_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char identifier[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$";

/* gcc's ._omp_fn.0, clang's .omp_outlined. and .omp_task_entry., or NULL. */
static const char *outlined_suffix(const char *name) {
  const char *suffix = strstr(name, "._omp_");
  return suffix ? suffix : strstr(name, ".omp_");
}

bool name_is_outlined(const char *name) {
  return outlined_suffix(name) != NULL;
}

size_t name_user_length(const char *name) {
  if (!strncmp(name, "_GLOBAL__", 9)) /* a file's constructors: _GLOBAL__sub_I_file.cc */
    return strlen(name);
  size_t length = strspn(name, identifier);
  if (name[length] == '.')
    return length;
  /* A name that is not mangled may hold other dots, as scale<1.5> does: only known suffixes count. */
  const char *suffix = outlined_suffix(name);
  return suffix ? (size_t)(suffix - name) : strlen(name);
}

char *name_from_fortran(const char *name) {
  const char *separator = strstr(name, "_MOD_");
  char *result;
  if (strncmp(name, "__", 2) || !separator || separator == name + 2)
    return NULL;
  int length = separator - (name + 2);
  if (asprintf(&result, "%.*s::%s", length, name + 2, separator + 5) < 0)
    return NULL;
  return result;
}

static bool is_component(const char *text, size_t length, const char *component) {
  return length == strlen(component) && !strncmp(text, component, length);
}

/* The end of the path [begin, end) without its last component. */
static char *without_last(char *begin, char *end) {
  while (end > begin && end[-1] != '/')
    end--;
  return end > begin ? end - 1 : begin;
}

/* Whether a ".." would remove a folder; at the root it removes nothing, and has no meaning. */
static bool has_parent(char *begin, char *end, bool absolute) {
  char *last = without_last(begin, end);
  last += *last == '/' && last < end;
  return absolute || (end > begin && !is_component(last, end - last, ".."));
}

static char *append(char *begin, char *end, const char *component, size_t length) {
  if (end > begin)
    *end++ = '/';
  memmove(end, component, length);
  return end + length;
}

void name_clean_path(char *path) {
  bool absolute = path[0] == '/';
  char *begin = path + absolute, *out = begin;
  size_t length;
  for (const char *in = begin; *in; in += length) {
    in += strspn(in, "/");
    length = strcspn(in, "/");
    if (length == 0 || is_component(in, length, "."))
      continue;
    if (is_component(in, length, "..") && has_parent(begin, out, absolute))
      out = without_last(begin, out);
    else
      out = append(begin, out, in, length);
  }
  *out = '\0';
}

/* DIRECTORY/c++/12/bits/stl_vector.h, DIRECTORY/c++/v1/vector. */
static bool is_cxx_header(const char *path) {
  const char *version = strstr(path, "/c++/"), *inside = version ? strchr(version + 5, '/') : NULL;
  if (!inside || strncmp(inside, "/parallel/", 10) == 0)
    return false;
  return (version[5] >= '0' && version[5] <= '9') || strncmp(version + 5, "v1/", 3) == 0;
}

bool name_is_library_header(const char *path) {
  static const char *const folders[] = {"/usr/include/bits/", "-linux-gnu/bits/", "/lib/gcc/", "/lib/clang/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (strstr(path, folders[i]))
      return true;
  return is_cxx_header(path);
}

/* glibc's, also before 2.34, and musl's names. */
bool name_starts_programs(const char *path) {
  static const char *const names[] = {"libc.so", "libc-2.",  "libc.musl-", "libpthread", "ld-linux",
                                      "ld-2.",   "ld-musl-", "ld.so",      "ld64.so"};
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(name, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}
