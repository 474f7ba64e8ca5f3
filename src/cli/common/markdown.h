/* Texts in GitHub's and GitLab's Markdown, whose marks they could hold: names of files and functions. */
#ifndef STAVE_CLI_COMMON_MARKDOWN_H
#define STAVE_CLI_COMMON_MARKDOWN_H

/* Prints a text on stdout, in one line. Characters that Markdown would interpret are escaped, and words with
 * "@", which would notify people, are code. */
void markdown_print(const char *text);

/* Prints a name as code, also within a table. */
void markdown_print_code(const char *name);

/* "| a | b |" with the cells as they are, "" of NULL. */
void markdown_print_row(const char *const *cells, unsigned count);

#endif
