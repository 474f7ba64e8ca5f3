/* The end of the program, held until the archive is closed.
 *
 * A program whose other threads may come to LLVM's runtime must not wait for its archive once that has given
 * up its state. So it goes on, and the writer traces the thread that ends it (ptrace(2), PTRACE_O_TRACEEXIT):
 * the kernel stops that one when the process ends by it, while all others are killed, and whoever waits for
 * the process sees its end when the writer lets go. Where the writer dies the kernel lets go. */
#ifndef STAVE_WRITER_KERNEL_HELD_PROGRAM_H
#define STAVE_WRITER_KERNEL_HELD_PROGRAM_H

#include <stdatomic.h>
#include <stdbool.h>

#include "session/closing_line.h"
#include "writer/kernel/application.h"

struct held_program {
  struct session_header *session;
  const struct application *application;
  uint64_t most_ns;         /* for so long */
  pid_t thread;             /* that is traced */
  _Atomic int line_fd;      /* the program's stderr; -1: none, or all has been printed */
  _Atomic uint32_t is_over; /* a futex: the archive is closed, or will not be */
};

/* Offers it to the tool, if a thread is to be had, which waits for its request and holds the end. `held`,
 * session and application have to last as long as the process. timeout_s: STAVE_TIMEOUT, of which it is held
 * for a twelfth at most. Call once, before the tool knows that the writer is ready. */
void held_program_offer(struct held_program *held, struct session_header *session,
                        const struct application *application, uint32_t timeout_s);

/* The archive is closed, or will not be: prints what the tool would, and lets go. */
void held_program_end(struct held_program *held);

#endif
