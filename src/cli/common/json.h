/* JSON objects of what may hold any bytes: names of archives, values of the environment. Without memory the
 * command ends (base/memory.h), once json_need_memory is called. */
#ifndef STAVE_CLI_COMMON_JSON_H
#define STAVE_CLI_COMMON_JSON_H

#include <jansson.h>
#include <stdint.h>

/* What has no memory for a part of an object leaves it out otherwise. */
void json_need_memory(void);

/* A string, in which U+FFFD replaces each byte that is no UTF-8; null for NULL. */
json_t *json_from_text(const char *text);

json_t *json_from_number(uint64_t number);

/* Adds the member `name`, cleaned likewise. The object then owns `value`. */
void json_put(json_t *object, const char *name, json_t *value);

/* Prints the object on stdout and lets go of it. */
void json_print(json_t *object);

#endif
