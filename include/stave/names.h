/* names.h: the names by which Stave's archives state what OTF2 has no record for. For programs that read
 * archives, in C and C++.
 *
 * A property of the trace: OTF2_Reader_GetProperty(reader, STAVE_PROPERTY_ENDING, &text). OTF2 writes names
 * of properties in capitals. A property of a location group or a location: the definitions of these
 * properties. An attribute: OTF2_AttributeList, by the reference of the Attribute definition that has the
 * name.
 *
 * scripts/render makes docs/NAMES.md from this file: a comment belongs to the names below it, until
 * the next comment or blank line; a comment that begins with == is a heading. */
#ifndef STAVE_NAMES_H
#define STAVE_NAMES_H

/* == The program and its end */

/* How the program ended: "finalized", "exit status 3", "killed by signal 11 (...)", "exec", or that it is
 * unknown; "still running (...)" if it had not ended (STAVE_KEEP). */
#define STAVE_PROPERTY_ENDING "STAVE::ENDING"
/* Number of events that the writer added at the end, as the program did not come to them. */
#define STAVE_PROPERTY_CLOSED_BY_WRITER "STAVE::CLOSED_BY_WRITER"
/* Path of the program. */
#define STAVE_PROPERTY_PROGRAM "STAVE::PROGRAM"
/* Its arguments, quoted for a shell. */
#define STAVE_PROPERTY_ARGUMENTS "STAVE::ARGUMENTS"
/* Its process id. */
#define STAVE_PROPERTY_PROCESS_ID "STAVE::PROCESS_ID"
/* Of a location group, separated by commas: a time in ticks; for how many ns the process had lived by then.
 * Then for how many ns its first thread had run; and been preempted; and the page faults of processes that it
 * had started and waited for. The kernel's resolution is 10 ms. */
#define STAVE_PROPERTY_BEFORE "STAVE::BEFORE"
/* Only where the process had many page faults, separated by commas: how many until STAVE_PROPERTY_BEFORE's
 * time; in all; the largest number of pages at a time. Then what one fault cost, in ns; what one cost in
 * memory of large pages; the pages of the program's variables. Then 1 where the machine's host reclaims free
 * memory (free page reporting), else 0; pages of the first thread's stack, and of shared memory with Stave's,
 * at most. */
#define STAVE_PROPERTY_FAULTS "STAVE::FAULTS"

/* == Completeness */

/* Only if recording was stopped before the program ended: why ("No space left on device", ...). */
#define STAVE_PROPERTY_STOPPED "STAVE::STOPPED"
/* "whole", or why there was no log of all records, or only in part. Absent with STAVE_LOG=off. */
#define STAVE_PROPERTY_RECORD_LOG "STAVE::RECORD_LOG"
/* Only if events were lost: dropped by threads. */
#define STAVE_PROPERTY_LOST_EVENTS "STAVE::LOST_EVENTS"
/* Records that the program made unreadable. */
#define STAVE_PROPERTY_LOST_DAMAGED_RECORDS "STAVE::LOST_DAMAGED_RECORDS"
/* Events that OTF2 refused. */
#define STAVE_PROPERTY_LOST_REFUSED_EVENTS "STAVE::LOST_REFUSED_EVENTS"
/* "true" if `stave recover` rebuilt the archive, as its writer had died. */
#define STAVE_PROPERTY_RECOVERED "STAVE::RECOVERED"
/* The time in ticks after which a recovered archive may lack events, or at which another one lacks the first.
 * Before it all are there whose callback had returned. */
#define STAVE_PROPERTY_LOST_AFTER "STAVE::LOST_AFTER"
/* Only if there are any: tasks whose dependences are missing. LLVM's runtimes may end a program in which a
 * task waits for its own dependences (undeferred), while a tool receives dependences; none are recorded from
 * there on. */
#define STAVE_PROPERTY_DEPENDENCES_WITHHELD "STAVE::DEPENDENCES_WITHHELD"
/* Only if there are any: acquisitions of locks, critical sections and the like that are missing. LLVM's
 * runtimes may crash while a tool receives releases, once the first thread that used OpenMP has ended. */
#define STAVE_PROPERTY_MUTEXES_WITHHELD "STAVE::MUTEXES_WITHHELD"
/* Only if there are any: threads that no OpenMP runtime had created and that went on as the program called
 * exit(). The recording ends there, since LLVM's runtimes may crash in them while a tool waits later. */
#define STAVE_PROPERTY_THREADS_AT_EXIT "STAVE::THREADS_AT_EXIT"
/* Prefix; a callback's number follows. The callback was not requested, and why: it could have harmed the
 * program. */
#define STAVE_PROPERTY_NOT_ASKED "STAVE::NOT_ASKED::"
/* Prefix; the name of a kind of record follows: of how many of them the archive was made. */
#define STAVE_PROPERTY_RECORDS "STAVE::RECORDS::"
/* Only if there are any: pauses by omp_control_tool. */
#define STAVE_PROPERTY_PAUSES "STAVE::PAUSES"
/* Only if there are any: regions of the program's own (stave.h) that it did not end. */
#define STAVE_PROPERTY_USER_REGIONS_LEFT_OPEN "STAVE::USER_REGIONS_LEFT_OPEN"
/* Only if there are any: ends of such regions that did not fit and were refused. */
#define STAVE_PROPERTY_USER_ENDS_REFUSED "STAVE::USER_ENDS_REFUSED"

/* == The flight recorder (STAVE_KEEP) */

/* How much of the run's end was to be kept. The archive has no more than that. */
#define STAVE_PROPERTY_KEPT "STAVE::KEPT"
/* Why it was written: "killed by signal 6 (Aborted)", "stave_flush", ... */
#define STAVE_PROPERTY_KEPT_WHY "STAVE::KEPT::WHY"
/* For how many ns the run had lasted when this part began. */
#define STAVE_PROPERTY_KEPT_BEFORE_NS "STAVE::KEPT::BEFORE_NS"
/* How many records had been dropped by then. */
#define STAVE_PROPERTY_KEPT_RECORDS_BEFORE "STAVE::KEPT::RECORDS_BEFORE"

/* == Stave's own part */

/* How often a thread waited for room in its ring; each wait is a BufferFlush event. */
#define STAVE_PROPERTY_STALLS "STAVE::STALLS"
/* Only if there are any: records that waited, as threads recorded faster than the writer could write, or as
 * it left the processors to them (STAVE_BACKLOG). */
#define STAVE_PROPERTY_BACKLOG_RECORDS "STAVE::BACKLOG_RECORDS"
/* The largest number of them that waited at a time. */
#define STAVE_PROPERTY_BACKLOG_MOST "STAVE::BACKLOG_MOST"
/* The longest wait of a record while the program ran, in ms. */
#define STAVE_PROPERTY_BACKLOG_WAITED_MS "STAVE::BACKLOG_WAITED_MS"
/* Time from the program's end until all were written, in ms. */
#define STAVE_PROPERTY_BACKLOG_END_MS "STAVE::BACKLOG_END_MS"
/* Records that stave-writer encoded beside those of other threads (STAVE_JOBS). */
#define STAVE_PROPERTY_ENCODED_BESIDE "STAVE::ENCODED_BESIDE"
/* Only if STAVE_OTF2 requested roles and paradigms that OTF2 3.0 lacks: the OTF2 that has them, "3.1". */
#define STAVE_PROPERTY_OTF2 "STAVE::OTF2"

/* == Processors */

/* Number of processors that the process was allowed to use (sched_getaffinity) when tracing began. */
#define STAVE_PROPERTY_PROCESSORS "STAVE::PROCESSORS"
/* What these processors did from then until the archive was closed, in ns, which the kernel counts in clock
 * ticks of 10 ms: they ran the program. Only if the program was still there at the end. */
#define STAVE_PROPERTY_PROCESSORS_OWN_NS "STAVE::PROCESSORS::OWN_NS"
/* They ran stave-writer. */
#define STAVE_PROPERTY_PROCESSORS_WRITER_NS "STAVE::PROCESSORS::WRITER_NS"
/* They ran both and all else: others, the kernel, other virtual machines. */
#define STAVE_PROPERTY_PROCESSORS_BUSY_NS "STAVE::PROCESSORS::BUSY_NS"
/* They were idle. */
#define STAVE_PROPERTY_PROCESSORS_IDLE_NS "STAVE::PROCESSORS::IDLE_NS"
/* Of busy: the hypervisor had them. */
#define STAVE_PROPERTY_PROCESSORS_STOLEN_NS "STAVE::PROCESSORS::STOLEN_NS"
/* The machine's processors that are online. */
#define STAVE_PROPERTY_ONLINE "STAVE::PROCESSORS::ONLINE"
/* Only where a control group has a quota: how many processors that represents. */
#define STAVE_PROPERTY_QUOTA "STAVE::PROCESSORS::QUOTA"
/* Of a location: the processors that the thread may use, as last read: "0-3,8". */
#define STAVE_PROPERTY_MAY_USE "STAVE::MAY_USE"
/* Of location groups and locations: the kernel's counts for the process and its threads, read some ten times
 * a second; not with STAVE_KEEP. Readings are separated by blanks, a reading's numbers by commas; zeros at
 * the end of a reading are left out. A process's reading: ticks since the reading before (the first one:
 * since 0). Then, since that reading and in us, processor time of all its threads; time for which its control
 * group's quota kept it from running; time for which it was stopped; processor time of its stave-writer. A
 * thread's: first the number of its process's reading to which its first one belongs; then in each reading,
 * in us, for how long it ran, and was preempted. */
#define STAVE_PROPERTY_RUN_TIMES "STAVE::RUN_TIMES"
/* Of location groups and locations: what the kernel did for the process and its threads, read about once a
 * second, and first and last; not with STAVE_KEEP. Readings are separated by blanks. Each has three numbers:
 * that of the process's reading in STAVE_PROPERTY_RUN_TIMES (0: before the first event); page faults since
 * the reading before (the first one: since its begin, and 0 for a thread that is older than the session);
 * processor time in the kernel since then, in us, which the kernel counts to 10 ms and less. Threads that
 * have ended since their last reading are in the process's. */
#define STAVE_PROPERTY_SYSTEM_TIMES "STAVE::SYSTEM_TIMES"

/* == The OpenMP runtime */

/* The text by which the runtime names itself. */
#define STAVE_PROPERTY_RUNTIME "STAVE::RUNTIME"
/* The version _OPENMP that it passes to tools. */
#define STAVE_PROPERTY_OMP_VERSION "STAVE::OMP_VERSION"
/* Prefix; a number from 0 on follows. The files of all OpenMP runtimes, and of libomptarget, that the process
 * had loaded when tracing began, or when it ended in order. What runs on a runtime without a tool interface
 * (gcc's libgomp) is not in the archive, unless libstave-libgomp.so is one of these files. */
#define STAVE_PROPERTY_RUNTIME_FILE "STAVE::RUNTIME_FILE::"
/* Only if `stave record` ran the program on another runtime than it was built for: the name of that one,
 * "libgomp". */
#define STAVE_PROPERTY_RUNTIME_INSTEAD_OF "STAVE::RUNTIME_INSTEAD_OF"
/* Prefix; a number follows: the runtime's name of a thread state. */
#define STAVE_PROPERTY_STATE "STAVE::STATE::"
/* Prefix; a number follows: the runtime's name of a mutex implementation. */
#define STAVE_PROPERTY_MUTEX_IMPLEMENTATION "STAVE::MUTEX_IMPLEMENTATION::"
/* Prefix; a callback's number follows: the runtime's answer to ompt_set_callback. */
#define STAVE_PROPERTY_SET_CALLBACK "STAVE::SET_CALLBACK::"
/* Prefix; a lock's number follows: the variable that it is, as the program names it. */
#define STAVE_PROPERTY_LOCK "STAVE::LOCK::"

/* Prefix, only where CUDA's devices, or a part of what they did, are not in the archive. REFUSED: why nothing
 * of them is; CALLS, WAITS, DELIVERY: which part is not, and why; DROPPED: how many records CUPTI had no room
 * for. */
#define STAVE_PROPERTY_DEVICES "STAVE::DEVICES::"

/* == Clocks */

/* Which clock the ticks are of: the counter of one boot of one machine, or its CLOCK_MONOTONIC in one time
 * namespace. Processes for which this text is the same have one clock. */
#define STAVE_PROPERTY_CLOCK_DOMAIN "STAVE::CLOCK::DOMAIN"
/* Prefix; a number from 0 on follows. One instant on this process's clock and on the one of the domain
 * STAVE_PROPERTY_CLOCK_REFERENCE, and the largest error of the second in ticks of the first: three numbers.
 * Of processes with one clock only one has them. */
#define STAVE_PROPERTY_CLOCK_POINT "STAVE::CLOCK::POINT::"
/* The domain of the clock of the job's rank 0. */
#define STAVE_PROPERTY_CLOCK_REFERENCE "STAVE::CLOCK::REFERENCE"

/* == MPI and merged archives */

/* The process's rank in MPI_COMM_WORLD. */
#define STAVE_PROPERTY_MPI_RANK "STAVE::MPI::RANK"
/* Number of its ranks. */
#define STAVE_PROPERTY_MPI_SIZE "STAVE::MPI::SIZE"
/* A text that these ranks share. */
#define STAVE_PROPERTY_MPI_JOB "STAVE::MPI::JOB"
/* The text by which the MPI library names itself. */
#define STAVE_PROPERTY_MPI_LIBRARY "STAVE::MPI::LIBRARY"
/* Prefix; a communicator's number follows. What identifies it among its members: the world rank of its rank
 * 0, and how many that one had made before. */
#define STAVE_PROPERTY_MPI_COMM "STAVE::MPI::COMM::"
/* The same of a window. */
#define STAVE_PROPERTY_MPI_WINDOW "STAVE::MPI::WINDOW::"
/* Of archives by `stave merge`: of how many processes. What is not the same for all of them is a property of
 * their location groups, under the same name. */
#define STAVE_PROPERTY_MERGED "STAVE::MERGED"
/* How many different clocks these had. */
#define STAVE_PROPERTY_CLOCKS "STAVE::CLOCKS"
/* Ranks that have left no archive. */
#define STAVE_PROPERTY_MISSING_RANKS "STAVE::MISSING_RANKS"
/* With several clocks: the largest error of their times against each other. */
#define STAVE_PROPERTY_CLOCK_DEVIATION_NS "STAVE::CLOCK::DEVIATION_NS"
/* "true" if some could only be compared by the time of day, which is a guess. */
#define STAVE_PROPERTY_CLOCK_BY_CALENDAR "STAVE::CLOCK::BY_CALENDAR"
/* Of location groups, while runs are compared: the name of their run. */
#define STAVE_PROPERTY_SIDE "STAVE::SIDE"

/* == Samples, the kernel's view, counters */

/* Only if threads were sampled: requested samples a second. Samples are approximations: nothing of the
 * following makes an archive incomplete. */
#define STAVE_PROPERTY_SAMPLING_HZ "STAVE::SAMPLING::HZ"
/* Expirations of the timers without a sample; the next sample has their number as "missed samples". */
#define STAVE_PROPERTY_SAMPLING_MISSED "STAVE::SAMPLING::MISSED"
/* Samples for which a thread had no room. */
#define STAVE_PROPERTY_SAMPLING_LEFT_OUT "STAVE::SAMPLING::LEFT_OUT"
/* Threads for which the system had no timer. */
#define STAVE_PROPERTY_SAMPLING_THREADS_WITHOUT "STAVE::SAMPLING::THREADS_WITHOUT"
/* Only with STAVE_SYSTEM=on: "on", or why the kernel did not report when threads run. */
#define STAVE_PROPERTY_SYSTEM "STAVE::SYSTEM"
/* Switches for which the kernel had no room. */
#define STAVE_PROPERTY_SYSTEM_MISSED "STAVE::SYSTEM::MISSED"
/* Threads without a report. */
#define STAVE_PROPERTY_SYSTEM_THREADS_WITHOUT "STAVE::SYSTEM::THREADS_WITHOUT"
/* Only with STAVE_COUNTERS: the counters that were read, separated by commas. */
#define STAVE_PROPERTY_COUNTERS "STAVE::COUNTERS"
/* Why others were not. */
#define STAVE_PROPERTY_COUNTERS_REFUSED "STAVE::COUNTERS::REFUSED"
/* Threads without counters. */
#define STAVE_PROPERTY_COUNTERS_THREADS_WITHOUT "STAVE::COUNTERS::THREADS_WITHOUT"
/* For how many ns, summed over threads, they were to count. */
#define STAVE_PROPERTY_COUNTERS_ASKED_NS "STAVE::COUNTERS::ASKED_NS"
/* For how many ns they did. A processor with fewer counters than that counts them by turns, and values are
 * scaled. */
#define STAVE_PROPERTY_COUNTERS_COUNTED_NS "STAVE::COUNTERS::COUNTED_NS"
/* Attribute of a CallingContextSample: the runtime's name of the thread's state, a string. */
#define STAVE_ATTRIBUTE_THREAD_STATE "thread state"

/* == Metrics of a thread's location; each value holds from its time on */

/* One of the states below. */
#define STAVE_METRIC_RUN_STATE "run state"
/* The number of the processor on which the thread runs, or ran last. */
#define STAVE_METRIC_RUN_PROCESSOR "run processor"
/* Page faults so far. */
#define STAVE_METRIC_PAGE_FAULTS "page faults"
/* On a processor. */
#define STAVE_RUN_STATE_RUNS 0
/* It could run and had no processor, or had given it away by sched_yield. */
#define STAVE_RUN_STATE_PREEMPTED 1
/* Waiting in the kernel, or for a processor since that wait is over. */
#define STAVE_RUN_STATE_BLOCKED 2
/* Unknown, as the kernel had no room for its report. */
#define STAVE_RUN_STATE_UNKNOWN 3

/* == Locations and devices */

/* Name of the location of the program's first thread, as in Score-P. */
#define STAVE_LOCATION_FIRST "Master thread"
/* Prefix; the thread's number in its teams follows. */
#define STAVE_LOCATION_THREAD "OMP thread "
/* Prefix of a worker that had no team; the location's number follows. */
#define STAVE_LOCATION_WORKER "OMP worker "
/* Prefix of a thread of the runtime's own, which runs target tasks. */
#define STAVE_LOCATION_HELPER "OMP hidden helper "
/* The class of a device's system tree node. */
#define STAVE_CLASS_DEVICE "OpenMP Device"
/* That node's property: what became of the device's own trace, "..., started" if its records were requested.
 * Without one, times on the device's streams are the host's. */
#define STAVE_PROPERTY_DEVICE_TRACE "trace"
/* Property of the same node, where the process had no orderly end: for so many ms before it the device's own
 * records were not delivered, and what it did then is missing. */
#define STAVE_PROPERTY_DEVICE_UNDELIVERED "undelivered ms"

/* == Files in the folder of an archive that is not closed */

/* Its writer has a lock on it (fcntl, F_SETLK). */
#define STAVE_RECOVERY_FILE "traces.recovery"
/* All records so far, with STAVE_LOG. */
#define STAVE_RECORDS_FILE "traces.records"

#endif
