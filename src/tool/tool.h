/* The tool side's one struct, and what its files call of each other across subjects. */
#ifndef STAVE_TOOL_TOOL_H
#define STAVE_TOOL_TOOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ompt/types.h"
#include "session/layout.h"
#include "tool/device_trace.h"

struct counter_group;
struct thread;

/* A range of code that this process has published (modules.c). */
struct known_module {
  _Atomic uint64_t base; /* stored last, with release: a zero base is an unused row */
  uint64_t size;
  /* it was loaded when OpenMP started; others may be closed and replaced at their address */
  bool is_permanent;
  uint64_t identity; /* of what may be closed: see loaded.h */
};

enum { KNOWN_MODULES_MAX = 1024 };

/* Whether events are recorded. ENDED: the program reported by omp_control_tool that it needs no more. */
enum recording { RECORDING_OFF, RECORDING_ON, RECORDING_ENDED };

/* The callback of this name (unregister_dependences.c). REQUESTED_AGAIN: until a task comes for which the
 * runtime would do harm. STAY: it cannot be undone. What is after WITHDRAWING gets none. */
enum dependences_state {
  DEPENDENCES_AS_CONFIGURED,
  DEPENDENCES_REQUESTED_AGAIN,
  DEPENDENCES_STAY,
  DEPENDENCES_WITHDRAWING,
  DEPENDENCES_WITHDRAWN
};

/* The thread that was the first to use OpenMP in this process (first_thread.c). */
struct first_thread {
  pthread_t thread;
  _Atomic pid_t process;            /* 0: there is none yet; stored after the thread */
  atomic_bool is_withdrawn;         /* it has ended: no mutexes are recorded */
  atomic_bool has_printed;          /* that there is something which was not recorded */
  atomic_bool is_withdrawing;       /* who acquires one waits */
  ompt_set_callback_t set_callback; /* NULL: nothing is to be withdrawn */
};

/* What counters.c alone knows. */
struct counting_threads {
  struct counter_group *groups; /* one for each slot; NULL: no counters are requested */
  uint32_t group_count;
  _Atomic uint32_t slots; /* of these, those that were ever used: the first ones */
};

/* What modules.c alone knows. */
struct known_modules {
  _Atomic uint64_t queried_ns;             /* when the list of mappings was last read for a row below */
  uint64_t start_bases[KNOWN_MODULES_MAX]; /* load addresses of what was there when OpenMP started */
  uint32_t start_count;
  _Atomic uint32_t count;
  struct known_module rows[KNOWN_MODULES_MAX];
};

/* What first_rings.c alone knows: of the first slots, */
struct first_rings {
  uint32_t large;     /* so many begin with a ring of RING_START_BYTES; */
  uint32_t populated; /* so many had their memory before their threads came */
  uint32_t expected;  /* threads that OMP_NUM_THREADS announces; 0: it is not set */
};

/* What unregister_dependences.c alone knows. */
struct withdrawal {
  ompt_set_callback_t set_callback; /* of the runtime at which `dependences` is registered */
  _Atomic uint32_t awaited;         /* by so many threads without a slot */
};

/* What device_trace.c alone knows: devices that offer tracing. */
struct traced_devices {
  _Atomic uint32_t count; /* rows taken */
  struct device_trace rows[DEVICE_TRACES_MAX];
};

/* What exit_end.c alone knows. */
struct exit_end {
  bool is_expected;  /* exit() calls it */
  bool is_ending;    /* it ends the recording */
  uint32_t others;   /* threads beside which it has ended the recording; */
  uint64_t ended_ns; /* since then, on CLOCK_MONOTONIC; 0: it has not */
};

struct tool {
  /* read by every callback, never written once events arrive */
  enum clock_kind clock;
  ptrdiff_t rseq_offset; /* of the kernel's word on a thread's processor, from its thread pointer */
  /* read on slow paths */
  _Atomic int recording;          /* enum recording */
  _Atomic int dependences;        /* enum dependences_state; also read by each task_create with dependences */
  struct session_header *session; /* NULL: none. A forked child must not touch it: it is not mapped there */
  struct thread *threads;         /* one for each slot; zeroed in a forked child */
  _Atomic uint32_t *fork_mark;    /* 1 in the process that mapped it, 0 in its children (MADV_WIPEONFORK) */
  bool is_starting;               /* the session has a writer, which nobody has waited for yet */
  int writer_pidfd;               /* while it starts; -1: none */
  pid_t reaper;                   /* the writer's parent (reaper.h); 0: none */
  int session_fd;                 /* with a lock on it that exec gives up; -1: none */
  uint64_t session_device, session_inode; /* to know whether session_fd still is what it was */
  struct first_rings first_rings;
  /* thread_attach, which records: what records cannot call it by its name. NULL: nothing is prepared yet */
  bool (*attach)(uint64_t ticks);
  _Atomic uint64_t attach_after_ns; /* no slot's memory was to be had: nobody requests any before */
  _Atomic int32_t slots_since_look; /* new ones, since dead threads were looked for (slots.c) */
  _Atomic int32_t without_slot;     /* threads that are about to have one, or give it back */
  int runtimes;                     /* initialized and not yet finalized */
  struct withdrawal withdrawal;
  void *depend_waits[2];  /* the runtime's functions that are watched (depend_waits.c) */
  const void *in_runtime; /* an address of the runtime that came last */
  struct first_thread first_thread;
  struct exit_end exit_end;
  _Atomic(void (*)(uint64_t id, bool is_begin)) on_target; /* of such a library (recorder.c); NULL: of none */
  bool has_joined;         /* another library of Stave's records in the session (recorder.c) */
  bool is_finalizing;      /* the runtime ends */
  bool is_shared;          /* one has joined it once: the session stays mapped */
  bool is_kept;            /* it has ended, but for its memory: forked children have sessions of their own */
  bool is_left_out;        /* a forked child that is to have no session, whatever starts in it */
  bool is_prepared;        /* what every session begins with is known, but for the runtime's part */
  bool notes_exit;         /* exit() calls exit_status.c */
  bool is_libgomp;         /* the runtime that starts; LLVM's faults are none of its */
  bool has_given_up_state; /* LLVM's, as it is finalized */
  bool may_give_up_state;  /* LLVM's has been initialized, once */
  bool is_mute;            /* there was no stderr: its number may be a file of the program's by now */
  /* entry points of the runtime that the tool queries when a thread begins and ends; NULL: it has none */
  ompt_get_num_places_t get_num_places;
  ompt_get_place_num_t get_place_num;
  ompt_get_partition_place_nums_t get_partition_place_nums;
  ompt_get_proc_id_t get_proc_id;
  /* the same, queried by the sampling handler */
  ompt_get_state_t get_state;
  ompt_get_task_info_t get_task_info;
  ompt_get_parallel_info_t get_parallel_info; /* queried as exit() is called; of LLVM's */
  struct counting_threads counters;
  _Atomic int sample_signal; /* 0: no sampling */
  struct known_modules modules;
  struct traced_devices devices;
  struct session_constants constants; /* what every session of this process begins with */
};

extern struct tool tool __attribute__((visibility("hidden")));

/* "stave: ..." as one line on stderr, in one write. */
void tool_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

enum { TOOL_ERROR_BYTES = 24 };

/* What the number of an error means; `number` has room for TOOL_ERROR_BYTES. */
const char *tool_error_text(int error, char *number);

/* A thread must not be cancelled while it waits in a callback, or while others wait for what it has started:
 * it may hold the runtime's locks. Returns what tool_allow_cancellation gets. */
int tool_forbid_cancellation(void);
void tool_allow_cancellation(int before);

/* True in a forked child whose session is still its parent's. */
bool tool_is_forked_child(void);

/* Whether nothing is to be recorded any more: the tool or the writer has stopped it. There is a session. */
bool tool_is_stopped(void);

/* Gives a forked child a session of its own, or turns recording off (STAVE_FORK); where another thread does
 * so it waits for that. False: there is no session to record in, now. Cold. */
bool tool_follow_fork(void);

/* The same where a runtime or another library of Stave's starts, in a child or not. True: in a child that is
 * not to have a session. */
bool tool_is_not_followed(void);

/* Notes whether there is a stderr to speak to. */
void tool_note_stderr(void);

/* Whether the program runs with other privileges than its user's; has reported it then. */
bool tool_is_privileged(void);

/* Reads the environment and finds out what every session begins with. False: what is set is not valid; has
 * reported it. */
bool tool_prepare(void);

/* Begins the session if there is none. Returns whether there is one now. */
bool tool_enter_session(void);

/* Ends the session as tool_end_session does, but leaves its memory mapped: threads may still come. */
void tool_close_session(void);

/* Creates a session from tool.constants, in which what the runtime is may be missing, and starts its writer
 * (start.c), unless that has been done. False: there is none, and why has been reported. */
bool tool_begin_session(void);

/* There is to be no session, where one was only started. */
void tool_withdraw_session(void);

/* What tool_begin_session does; then informs the writer what the runtime is, and waits for it. Returns
 * whether events can be recorded from now on; if not, has printed why. */
bool tool_start_session(void);

/* Stops recording for good because the writer makes no progress; reports it once (give_up.c). */
void tool_give_up(void);

/* Whether only the end of the run is kept (STAVE_KEEP). */
bool tool_keeps(void);

/* What messages call the archive of tool.session. */
const char *tool_archive_name(void);

/* Notes which modules are loaded now, as OpenMP starts (modules.c). */
void modules_note_start(void);

/* Empties the table of modules, rows and all: a row that is counted is regarded as complete as soon as its
 * base is not 0. The caller is the only thread that has anything to do with it. */
void modules_forget(void);

/* Publishes what is loaded and was not published yet, as far as there is room for it (modules.c). */
void modules_publish_all(uint64_t ticks);

/* Whether the address lies in a module that was published. Async signal safe (modules.c). */
bool modules_know(uint64_t address);

/* The published module that the address lies in; false: none. Async signal safe (modules.c). */
struct module_range {
  uint64_t base, size;
};
bool modules_range(uint64_t address, struct module_range *ret);

/* Notes in tool.constants where the OpenMP runtime's own code lies, given an address in it (modules.c). */
void modules_find_runtime(uint64_t address);

/* Ends the session and frees it: waits, bounded by STAVE_TIMEOUT without progress, until the archive is
 * closed. Only when no event can follow. */
void tool_end_session(void);

/* Stops recording for good and waits likewise until the archive is closed. Other threads may still be in
 * callbacks: the session stays mapped. Returns false if recording was over already. */
bool tool_end_recording(void);

#endif
