/* The names under which Stave's archives say what OTF2 has no record for. For programs that read archives; in
 * C and C++.
 *
 * Trace properties: OTF2_Reader_GetProperty(reader, STAVE_PROPERTY_ENDING, &text). OTF2 writes their names in
 * capitals. Attributes: OTF2_AttributeList, by the reference of the Attribute definition that has the
 * name. */
#ifndef STAVE_NAMES_H
#define STAVE_NAMES_H

/* How the program ended: "finalized", "exit status 3", "killed by signal 11 (...)", "exec", or that nobody
 * could tell; "still running (...)" if it had not (STAVE_KEEP).
 * */
#define STAVE_PROPERTY_ENDING "STAVE::ENDING"
/* Events that the writer added at the end because the program did not come to them. */
#define STAVE_PROPERTY_CLOSED_BY_WRITER "STAVE::CLOSED_BY_WRITER"
/* Present only if recording was stopped before the program ended: why ("No space left on device", ...). */
#define STAVE_PROPERTY_STOPPED "STAVE::STOPPED"
/* Absent with STAVE_LOG=off: "whole", or why there was no log of all records, or not until the end. */
#define STAVE_PROPERTY_RECORD_LOG "STAVE::RECORD_LOG"
/* Present only if the archive has the last part of a run of which no more was kept (STAVE_KEEP): how much was
 * to be kept; why it was written ("killed by signal 6 (Aborted)", "stave_flush", ...); how long the run had
 * lasted when this part began, and how many records were dropped by then. */
#define STAVE_PROPERTY_KEPT "STAVE::KEPT"
#define STAVE_PROPERTY_KEPT_WHY "STAVE::KEPT::WHY"
#define STAVE_PROPERTY_KEPT_BEFORE_NS "STAVE::KEPT::BEFORE_NS"
#define STAVE_PROPERTY_KEPT_RECORDS_BEFORE "STAVE::KEPT::RECORDS_BEFORE"
/* Times that a thread waited for room in its ring; each is a BufferFlush event. */
#define STAVE_PROPERTY_STALLS "STAVE::STALLS"
/* Present only if threads recorded faster than the writer could write: records that waited in its memory
 * (STAVE_BACKLOG), how many did at once at most, for how many ms one did at most while the program ran, and
 * the ms from the program's end until all were written. */
#define STAVE_PROPERTY_BACKLOG_RECORDS "STAVE::BACKLOG_RECORDS"
#define STAVE_PROPERTY_BACKLOG_MOST "STAVE::BACKLOG_MOST"
#define STAVE_PROPERTY_BACKLOG_WAITED_MS "STAVE::BACKLOG_WAITED_MS"
#define STAVE_PROPERTY_BACKLOG_END_MS "STAVE::BACKLOG_END_MS"
/* Present only if STAVE_OTF2 asked for roles and paradigms that OTF2 3.0 has not: the OTF2 that has them,
 * "3.1". */
#define STAVE_PROPERTY_OTF2 "STAVE::OTF2"
/* Path, arguments (quoted for a shell) and process id of the program. */
#define STAVE_PROPERTY_PROGRAM "STAVE::PROGRAM"
#define STAVE_PROPERTY_ARGUMENTS "STAVE::ARGUMENTS"
#define STAVE_PROPERTY_PROCESS_ID "STAVE::PROCESS_ID"
/* Processors that the process was allowed to use (sched_getaffinity) when tracing began. */
#define STAVE_PROPERTY_PROCESSORS "STAVE::PROCESSORS"
/* What these did from then until the archive was closed, in ns, as the kernel counts it in clock ticks (10
 * ms): the program; stave-writer; both and all others, the kernel and other virtual machines; nothing.
 * Present if the program was still there at the end. */
#define STAVE_PROPERTY_PROCESSORS_OWN_NS "STAVE::PROCESSORS::OWN_NS"
#define STAVE_PROPERTY_PROCESSORS_WRITER_NS "STAVE::PROCESSORS::WRITER_NS"
#define STAVE_PROPERTY_PROCESSORS_BUSY_NS "STAVE::PROCESSORS::BUSY_NS"
#define STAVE_PROPERTY_PROCESSORS_IDLE_NS "STAVE::PROCESSORS::IDLE_NS"
#define STAVE_PROPERTY_PROCESSORS_STOLEN_NS "STAVE::PROCESSORS::STOLEN_NS" /* of busy: by a hypervisor */
/* Properties of location groups and locations: what the kernel said of the process and its threads, some ten
 * times a second; none with STAVE_KEEP. A process's readings, with blanks between them, are numbers with
 * commas: ticks since the reading before, the first one since 0; since then, in us, processor time of all its
 * threads; time for which its control group's quota kept it from running; for which it was stopped;
 * processor time of its stave-writer. A thread's are, behind the number of its process's reading with which
 * the first one goes: for how many us it ran since the reading before, and was ready without a processor.
 * Zeros at the end of a reading are left out. */
#define STAVE_PROPERTY_RUN_TIMES "STAVE::RUN_TIMES"
/* Properties of a location group, with commas: at this time (ticks) the process had lived for so many ns, of
 * which its first thread had run, and been ready without a processor. The kernel knows it to 10 ms. */
#define STAVE_PROPERTY_BEFORE "STAVE::BEFORE"
/* Where the process had many page faults: how many until then; in all; how many pages it had at a time at
 * most; what one cost the writer, ns, and one in memory of large pages; how many its variables have. */
#define STAVE_PROPERTY_FAULTS "STAVE::FAULTS"
/* The processors that the thread may use, as last read: "0-3,8". */
#define STAVE_PROPERTY_MAY_USE "STAVE::MAY_USE"
/* Of the machine's; and how many a control group's quota stands for, where there is one. */
#define STAVE_PROPERTY_ONLINE "STAVE::PROCESSORS::ONLINE"
#define STAVE_PROPERTY_QUOTA "STAVE::PROCESSORS::QUOTA"
/* What the OpenMP runtime says it is: its text, and the _OPENMP version it passes to tools. */
#define STAVE_PROPERTY_RUNTIME "STAVE::RUNTIME"
#define STAVE_PROPERTY_OMP_VERSION "STAVE::OMP_VERSION"
/* Prefix; a number from 0 follows. The files of all OpenMP runtimes that the process had loaded when tracing
 * began or when it ended in order. What runs on one without a tool interface (gcc's libgomp) is not in the
 * archive, unless libstave-libgomp.so is one of these files. */
#define STAVE_PROPERTY_RUNTIME_FILE "STAVE::RUNTIME_FILE::"
/* Present if `stave record` ran the program on another runtime than it was built for: that one's name,
 * "libgomp". */
#define STAVE_PROPERTY_RUNTIME_INSTEAD_OF "STAVE::RUNTIME_INSTEAD_OF"
/* Present only if there are any: pauses by omp_control_tool; regions of the program's own (stave.h) that it
 * did not end, and ends that were refused because they did not fit. */
#define STAVE_PROPERTY_PAUSES "STAVE::PAUSES"
#define STAVE_PROPERTY_USER_REGIONS_LEFT_OPEN "STAVE::USER_REGIONS_LEFT_OPEN"
#define STAVE_PROPERTY_USER_ENDS_REFUSED "STAVE::USER_ENDS_REFUSED"
/* Present only if there are any: tasks whose dependences were not recorded, since a task that waits for its
 * own at once had been met: LLVM's runtimes may end the program there while they tell a tool of dependences.
 */
#define STAVE_PROPERTY_DEPENDENCES_WITHHELD "STAVE::DEPENDENCES_WITHHELD"
/* Present only if there are any: acquisitions of locks, critical sections and the like that were not
 * recorded, since the first thread that used OpenMP had ended: LLVM's runtimes may crash then while they tell
 * a tool of releases. */
#define STAVE_PROPERTY_MUTEXES_WITHHELD "STAVE::MUTEXES_WITHHELD"
/* Present only if events were lost: dropped by threads, made unreadable by the program, refused by OTF2. */
#define STAVE_PROPERTY_LOST_EVENTS "STAVE::LOST_EVENTS"
#define STAVE_PROPERTY_LOST_DAMAGED_RECORDS "STAVE::LOST_DAMAGED_RECORDS"
#define STAVE_PROPERTY_LOST_REFUSED_EVENTS "STAVE::LOST_REFUSED_EVENTS"
/* Present if `stave recover` rebuilt the archive because its writer had died: "true", and the time in ticks
 * behind which events may be lost (all those are there whose callback had returned before). */
#define STAVE_PROPERTY_RECOVERED "STAVE::RECOVERED"
#define STAVE_PROPERTY_LOST_AFTER "STAVE::LOST_AFTER"
/* Prefixes; a number or a name follows. The runtime's names for states and mutex implementations, its answer
 * to ompt_set_callback by callback number, and how many records of each kind the archive was made of. */
#define STAVE_PROPERTY_STATE "STAVE::STATE::"
#define STAVE_PROPERTY_MUTEX_IMPLEMENTATION "STAVE::MUTEX_IMPLEMENTATION::"
#define STAVE_PROPERTY_SET_CALLBACK "STAVE::SET_CALLBACK::"
/* By a lock's number: the variable that it is, as the program calls it. */
#define STAVE_PROPERTY_LOCK "STAVE::LOCK::"
/* By callback number: it was not asked for, and why, since it could have harmed the program. */
#define STAVE_PROPERTY_NOT_ASKED "STAVE::NOT_ASKED::"
#define STAVE_PROPERTY_RECORDS "STAVE::RECORDS::"

/* Which clock the ticks are of: processes for which this is the same text have one clock. The counter of one
 * boot of one machine, or its CLOCK_MONOTONIC in one time namespace. */
#define STAVE_PROPERTY_CLOCK_DOMAIN "STAVE::CLOCK::DOMAIN"
/* Prefix; a number from 0 follows. One instant on this process's clock and on another one, and the most that
 * the second may be wrong: three numbers of ticks, the last one of this clock's. Only one of the processes
 * that have a clock has them. The other clock is that of the domain CLOCK_REFERENCE, rank 0's of the job. */
#define STAVE_PROPERTY_CLOCK_POINT "STAVE::CLOCK::POINT::"
#define STAVE_PROPERTY_CLOCK_REFERENCE "STAVE::CLOCK::REFERENCE"

/* Of processes of MPI: rank and number of ranks in MPI_COMM_WORLD, and a text that these ranks share. */
#define STAVE_PROPERTY_MPI_RANK "STAVE::MPI::RANK"
#define STAVE_PROPERTY_MPI_SIZE "STAVE::MPI::SIZE"
#define STAVE_PROPERTY_MPI_JOB "STAVE::MPI::JOB"
/* What MPI says it is. */
#define STAVE_PROPERTY_MPI_LIBRARY "STAVE::MPI::LIBRARY"
/* Prefixes; the number of a communicator or window follows. By what its members know that it is the same: the
 * world rank of its rank 0, and how many that one had made before. */
#define STAVE_PROPERTY_MPI_COMM "STAVE::MPI::COMM::"
#define STAVE_PROPERTY_MPI_WINDOW "STAVE::MPI::WINDOW::"

/* Of archives that `stave merge` has made: of how many processes, how many different clocks these had, and
 * which ranks have left no archive. What is not the same for all processes is a property of their location
 * groups under the same name. */
#define STAVE_PROPERTY_MERGED "STAVE::MERGED"
#define STAVE_PROPERTY_CLOCKS "STAVE::CLOCKS"
#define STAVE_PROPERTY_MISSING_RANKS "STAVE::MISSING_RANKS"
/* Of those with several clocks: the most that their times may be wrong against each other; and "true" if some
 * could only be compared by the time of day, which is a guess then. */
#define STAVE_PROPERTY_CLOCK_DEVIATION_NS "STAVE::CLOCK::DEVIATION_NS"
#define STAVE_PROPERTY_CLOCK_BY_CALENDAR "STAVE::CLOCK::BY_CALENDAR"
/* Of location groups, while runs are compared: the name of theirs. */
#define STAVE_PROPERTY_SIDE "STAVE::SIDE"

/* The file in the directory of an archive that is not closed; its writer has a lock on it (fcntl,
 * F_SETLK). */
#define STAVE_RECOVERY_FILE "traces.recovery"
/* Beside it, with STAVE_LOG: all records so far. */
#define STAVE_RECORDS_FILE "traces.records"

/* Present only if threads were sampled: samples a second that were asked for; expirations of the timers that
 * nobody saw (the next sample has their number as "missed samples"); samples for which a thread had no place;
 * threads for which the system had no timer. Samples are approximations: none of this makes an archive
 * incomplete. */
#define STAVE_PROPERTY_SAMPLING_HZ "STAVE::SAMPLING::HZ"
#define STAVE_PROPERTY_SAMPLING_MISSED "STAVE::SAMPLING::MISSED"
#define STAVE_PROPERTY_SAMPLING_LEFT_OUT "STAVE::SAMPLING::LEFT_OUT"
#define STAVE_PROPERTY_SAMPLING_THREADS_WITHOUT "STAVE::SAMPLING::THREADS_WITHOUT"

/* Names of locations, as Score-P gives them: the program's first thread, and what the position of a thread in
 * its teams stands behind, or a location's number. */
#define STAVE_LOCATION_FIRST "Master thread"
#define STAVE_LOCATION_THREAD "OMP thread "
#define STAVE_LOCATION_WORKER "OMP worker "
/* A thread that the runtime has for itself, which runs target tasks. */
#define STAVE_LOCATION_HELPER "OMP hidden helper "

/* The class of a device's node, and its property that has what became of its trace: "..., started" if the
 * device's own records were asked for. Without these the times on its streams are the host's. */
#define STAVE_CLASS_DEVICE "OpenMP Device"
#define STAVE_PROPERTY_DEVICE_TRACE "trace"

/* Attribute of a CallingContextSample: the runtime's name of the thread's state, a string. */
#define STAVE_ATTRIBUTE_THREAD_STATE "thread state"

/* Present only if the kernel was asked when threads run (STAVE_SYSTEM=on): "on", or why it did not tell; how
 * many switches it had no room for; threads that it did not tell of. */
#define STAVE_PROPERTY_SYSTEM "STAVE::SYSTEM"
#define STAVE_PROPERTY_SYSTEM_MISSED "STAVE::SYSTEM::MISSED"
#define STAVE_PROPERTY_SYSTEM_THREADS_WITHOUT "STAVE::SYSTEM::THREADS_WITHOUT"

/* Present only if counters were asked for (STAVE_COUNTERS): those that were read, with commas, and why others
 * were not; threads that have none; for how long, summed over the threads, they were to be counted, and were:
 * where the processor has fewer counters than that, they take turns, and values are scaled. */
#define STAVE_PROPERTY_COUNTERS "STAVE::COUNTERS"
#define STAVE_PROPERTY_COUNTERS_REFUSED "STAVE::COUNTERS::REFUSED"
#define STAVE_PROPERTY_COUNTERS_THREADS_WITHOUT "STAVE::COUNTERS::THREADS_WITHOUT"
#define STAVE_PROPERTY_COUNTERS_ASKED_NS "STAVE::COUNTERS::ASKED_NS"
#define STAVE_PROPERTY_COUNTERS_COUNTED_NS "STAVE::COUNTERS::COUNTED_NS"

/* Metrics on a thread's location, each value for the time from there on: a STAVE_RUN_STATE_..., and the
 * number of the processor on which it runs, or did last. Page faults: how many there were by then. */
#define STAVE_METRIC_RUN_STATE "run state"
#define STAVE_METRIC_RUN_PROCESSOR "run processor"
#define STAVE_METRIC_PAGE_FAULTS "page faults"

/* On a processor; without one though it could go on, or has given it up by sched_yield; waiting in the
 * kernel, or for a processor since that is over; not known, since the kernel had no room for what came. */
#define STAVE_RUN_STATE_RUNS 0
#define STAVE_RUN_STATE_PREEMPTED 1
#define STAVE_RUN_STATE_BLOCKED 2
#define STAVE_RUN_STATE_UNKNOWN 3

#endif
