/* What stave prints for people: one line a message, on stderr, never on stdout. */
#ifndef STAVE_CLI_COMMON_MESSAGE_H
#define STAVE_CLI_COMMON_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Prints "stave: " and the message as one line. Control characters in the finished text, which can come from
 * file names, are written as \xNN so that they cannot drive the terminal. Keeps errno. */
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For a reader of stderr that does not read; at first message_print waits for it without end. */
void message_wait_no_longer_than(int milliseconds);

/* Writes out what stdout still holds. False, after a message, if not all of it could be written. If that is
 * because nobody reads it any more, message_end_by_pipe. */
bool message_output_is_complete(void);

/* Ends the process as a pipe that nobody reads ends one that knows nothing of it: without a word, by SIGPIPE,
 * also where whoever started it ignores that. */
_Noreturn void message_end_by_pipe(void);

/* Writes `text` into `buffer` of `size` bytes (at least 1), each byte of a control character (also U+0080 to
 * U+009F) and each that is no UTF-8 as \xNN; cuts what does not fit, always terminates. Returns buffer. */
char *message_escape(char *buffer, size_t size, const char *text);

/* Writes `text` as one word of a shell command: as it is if it holds nothing special, else in single quotes.
 * Cuts and terminates like message_escape. Returns buffer. */
char *message_shell_word(char *buffer, size_t size, const char *text);

/* The same of a path, which is no option where it begins with "-". */
char *message_path_word(char *buffer, size_t size, const char *path);

#endif
