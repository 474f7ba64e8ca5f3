/* Which compilers made a program, as its file states. */
#ifndef STAVE_CLI_PROGRAMS_COMPILER_H
#define STAVE_CLI_PROGRAMS_COMPILER_H

#include <stddef.h>

/* Writes what section .comment of the file names, each once, separated by "; ", into `text`. Empty if the
 * file cannot be read or does not have it. */
void compiler_find(const char *program, char *text, size_t size);

#endif
