/* What is computed once when all events have gone by: the efficiencies, and what disturbs the numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "report/collect/collect.h"
#include "report/collect/equal_shares.h"
#include "stave/names.h"

/* Of the callbacks in OMPT. */
#define DEPENDENCES_NUMBER "18"

/* What a callback costs its thread, with what it does to the caches: 24 to 143 ns in programs with an event
 * of a thread each 200 to 400 ns, 46 in the median of five. */
enum { TRACED_NS = 50 };

double report_event_ticks(const struct report *report) {
  double threads = (double)report->wall * (double)report->cpus;
  return report->caveats.callbacks > 0 ? threads / (double)report->caveats.callbacks : 0;
}

double report_traced_share(const struct report *report) {
  double processes = (double)report->process_count, second = (double)report->trace->clock.ticks_per_second;
  double threads = processes > 0 ? (double)report->cpus / processes : 0;
  double all = processors_at_most(report, threads) * (double)report->parallel * processes;
  double ticks = (double)report->caveats.callbacks * TRACED_NS * second / 1e9;
  return all > 0 ? fmin(ticks / all, 1) : 0;
}

void caveats_find(struct report *report) {
  const struct trace *trace = report->trace;
  const char *complete = trace_archive_property(trace, "OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE");
  report->caveats.is_incomplete = complete && strcmp(complete, "false") == 0;
  report->caveats.lost_events = trace_lost_events(trace);
  report->caveats.dependences_withheld = trace_archive_number(trace, STAVE_PROPERTY_DEPENDENCES_WITHHELD);
  report->caveats.mutexes_withheld = trace_archive_number(trace, STAVE_PROPERTY_MUTEXES_WITHHELD);
  report->caveats.switches_missed = trace_archive_number(trace, STAVE_PROPERTY_SYSTEM_MISSED);
  runtimes_read(&report->caveats.runtimes, trace);
  device_facts_read(&report->caveats.devices, trace);
  report->caveats.lacks_dependences =
      report->tasks_created > 0 && trace_archive_property(trace, STAVE_PROPERTY_NOT_ASKED DEPENDENCES_NUMBER);
  for (size_t i = 0; i < trace->location_count; i++) {
    report->caveats.stalls += report->threads[i].stalls;
    report->caveats.stall_ticks += report->threads[i].stall_ticks;
  }
}

/* Of the wall time: what is less is no finding either. */
#define CLOCK_SHARE 0.01

static double ratio(double part, double total) {
  return total > 0 ? part / total : 0;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

static double smaller(double a, double b) {
  return a < b ? a : b;
}

/* How long the process was there. */
static uint64_t length_of(const struct report *report, const struct report_process *process) {
  if (report->process_count == 1)
    return report->wall;
  return process->last_ticks > process->first_ticks ? process->last_ticks - process->first_ticks : 0;
}

static void find_means(struct report *report) {
  double serial = 0, parallel = 0, mpi = 0, unknown = 0, offload = 0;
  double n = report->process_count ? (double)report->process_count : 1;
  for (size_t i = 0; i <= report->trace->location_group_count; i++) {
    const struct report_process *process = &report->processes[i];
    uint64_t length = length_of(report, process);
    uint64_t used = process->parallel + process->mpi + process->unknown;
    if (process->cpus == 0)
      continue;
    serial += length > used ? (double)(length - used) : 0;
    parallel += (double)process->parallel;
    mpi += (double)process->mpi;
    unknown += (double)process->unknown;
    offload += (double)process->offload;
  }
  report->serial = report->process_count ? integer_truncate(serial / n) : report->wall;
  report->parallel = integer_truncate(parallel / n);
  report->mpi = integer_truncate(mpi / n);
  report->unknown = integer_truncate(unknown / n);
  report->offload = integer_truncate(offload / n);
}

/* Where there are no teams, nobody knows either what a thread does before its first event and after its
 * last. */
static void add_edges(const struct report *report, struct report_thread *thread) {
  uint64_t known = 0, length = length_of(report, &report->processes[thread->process]);
  if (thread->has_life && report->process_count == 1)
    length = (uint64_t)life_of(report, thread);
  for (int a = 0; a < ACTIVITY_COUNT; a++)
    known += thread->activity[a];
  if (!report->has_openmp && length > known)
    thread->activity[ACTIVITY_UNKNOWN] += length - known;
}

static void add_up_threads(struct report *report) {
  for (size_t i = 0; i < report->trace->location_count; i++) {
    struct report_thread *thread = &report->threads[i];
    if (!report_is_cpu(thread))
      continue;
    add_edges(report, thread);
    for (int a = 0; a < ACTIVITY_COUNT; a++) {
      report->activity[a] += thread->activity[a];
      if (activity_is_useful((enum activity)a) && a != ACTIVITY_DEVICE)
        report->processes[thread->process].useful += thread->activity[a];
    }
  }
  for (size_t i = 0; i <= report->trace->location_group_count; i++)
    report->useful += report->processes[i].useful;
}

/* The place whose useful time in teams is longest: what it loses is not lost by imbalance. NULL: there is
 * none. */
static const struct report_place *longest_place(const struct report *report) {
  const struct report_place *longest = report->cpus > 0 ? report->places : NULL;
  for (size_t i = 1; i < report->cpus; i++)
    if (report->places[i].useful_in_teams > longest->useful_in_teams)
      longest = &report->places[i];
  return longest;
}

static double outside_of_teams(const struct report *report, const struct report_process *process) {
  return (double)length_of(report, process) - (double)process->parallel - (double)process->mpi -
         (double)process->unknown;
}

/* What a process's threads lose outside of teams, where one works: less what others do there. */
static double lost_in_serial(const struct report_process *process, double rest) {
  double useful = (double)process->serial_useful, more = useful > rest ? useful - rest : 0;
  double lost = ((double)process->cpus - 1) * rest - more;
  return rest > 0 && lost > 0 ? lost : 0;
}

/* How long all but one thread have nothing to do in it, which is all of it where others do not work there. */
static double alone_in_serial(const struct report_process *process, double rest) {
  return process->cpus > 1 ? lost_in_serial(process, rest) / ((double)process->cpus - 1)
         : rest > 0        ? rest
                           : 0;
}

/* Of all processes, of what is known. While the only thread outside of teams is in MPI, the others are lost
 * by that, too. */
static void find_efficiencies(struct report *report) {
  double all = -(double)report->activity[ACTIVITY_UNKNOWN], serial = 0, alone = 0;
  double mpi = (double)report->activity[ACTIVITY_MPI];
  for (size_t i = 0; i <= report->trace->location_group_count; i++) {
    const struct report_process *process = &report->processes[i];
    double n = (double)process->cpus, length = (double)length_of(report, process);
    double rest = outside_of_teams(report, process);
    if (process->cpus == 0)
      continue;
    all += n * length;
    serial += lost_in_serial(process, rest);
    alone += alone_in_serial(process, rest);
    mpi += (n - 1) * (double)process->mpi;
  }
  report->known = all;
  report->serial_alone = smaller(ratio(alone, (double)report->process_count), (double)report->serial);
  report->parallel_efficiency = ratio((double)report->useful, all);
  report->serial_efficiency = all > 0 ? (all - serial) / all : 0;
  report->mpi_efficiency = mpi < all ? (all - mpi) / all : 0;
  report->device_efficiency = all > 0 ? (all - (double)report->activity[ACTIVITY_DEVICE]) / all : 0;
}

/* What initial threads do outside of their own teams while others have one: more than fits into what is
 * outside of all teams. */
static double useful_beside_teams(const struct report *report, const struct report_process *process) {
  double rest = outside_of_teams(report, process);
  double beside = (double)process->serial_useful - (double)process->cpus * larger(rest, 0);
  return larger(beside, 0);
}

/* Of the process that has the busiest thread: threads of different ones share no work by OpenMP. */
static void find_team_efficiencies(struct report *report) {
  const struct report_place *longest = longest_place(report);
  if (!longest)
    return;
  const struct report_process *process = &report->processes[longest->process];
  double n = (double)process->cpus, parallel = (double)process->parallel, in_teams = 0;
  double most = smaller((double)longest->useful_in_teams, parallel);
  double overhead = (double)longest->overhead;
  overhead = smaller(overhead, larger(parallel - most, 0)); /* work on the edges of a region is in both */
  for (size_t i = 0; i < report->cpus; i++)
    if (report->places[i].process == longest->process)
      /* What initial threads of a league do outside of parallel regions is work without any team. */
      in_teams += smaller((double)report->places[i].useful_in_teams, parallel);
  in_teams = smaller(in_teams + useful_beside_teams(report, process), n * parallel);
  most = larger(most, in_teams / n);
  report->thread_efficiency = ratio(in_teams, n * parallel);
  report->load_balance = ratio(in_teams, n * most);
  report->runtime_efficiency = parallel > overhead ? (parallel - overhead) / parallel : 0;
  report->serialisation = ratio(most, parallel - overhead);
  report->busiest_process = longest->process;
}

/* A process's time outside of MPI: what one of its threads is in MPI in a team counts by their number. */
static double outside_mpi(const struct report *report, size_t process) {
  const struct report_process *one = &report->processes[process];
  double n = (double)one->cpus, mpi = (n - 1) * (double)one->mpi;
  for (size_t i = 0; i < report->trace->location_count; i++)
    if (report->threads[i].process == process && report_is_cpu(&report->threads[i]))
      mpi += (double)report->threads[i].activity[ACTIVITY_MPI];
  return (double)length_of(report, one) - mpi / n;
}

/* After POP: they multiply to the MPI efficiency. Processes that begin or end at other times than the rest
 * participate with the time that they had: what is ideal lies between the longest's time outside of MPI and
 * the mean of all that. */
static void find_mpi_efficiencies(struct report *report) {
  double most = 0, lengths = 0, cpus = 0;
  for (size_t i = 0; i <= report->trace->location_group_count && report->activity[ACTIVITY_MPI] > 0; i++) {
    const struct report_process *process = &report->processes[i];
    if (process->cpus == 0)
      continue;
    most = larger(most, outside_mpi(report, i));
    lengths += (double)process->cpus * (double)length_of(report, process);
    cpus += (double)process->cpus;
  }
  double mean = ratio(lengths, cpus);
  most = smaller(most, mean);
  double ideal = smaller(larger(report->ideal_wall, most), mean);
  double apart = ratio((double)report->mpi_starts_and_ends, (double)report->process_count);
  apart = smaller(apart, mean - ideal);
  report->mpi_start_end = ratio(mean - apart, mean);
  report->mpi_transfer = ratio(ideal, mean - apart);
  report->mpi_serialisation = ratio(most, ideal);
  report->mpi_load_balance = ratio(report->mpi_efficiency * mean, most);
}

bool report_has_efficiency(const struct report *report) {
  return report->known > 0;
}

static bool has_device(const struct report *report) {
  const struct report_accelerator *devices = report->device_use.accelerators;
  for (size_t i = 0; devices && i < report->trace->location_group_count; i++)
    if (devices[i].is_used)
      return true;
  return false;
}

bool report_has_causes(const struct report *report) {
  return report->has_openmp || report->activity[ACTIVITY_MPI] > 0 || report->activity[ACTIVITY_DEVICE] > 0 ||
         has_device(report);
}

bool report_lacks_clock(const struct report *report) {
  return (double)report->caveats.clock_ticks > CLOCK_SHARE * (double)report->wall;
}

void efficiency_find(struct report *report) {
  add_up_threads(report);
  find_means(report);
  find_efficiencies(report);
  find_mpi_efficiencies(report);
  find_team_efficiencies(report);
}

/* Of the wall time: what is nearer may be chance. */
#define WORK_SHARE 0.97

/* Of the processors' time, where nobody knows what threads were preempted for. */
#define OTHERS_SHARE 0.1

/* How much shorter the run might be if its threads had always had processors, which one thread is likelier to
 * have: what of it has a cause, an even share of what has none, and as much in what the kernel's readings
 * lack.
 */
static double lost_to_others(const struct report *report) {
  const struct report_account *account = &report->account;
  double known = account->all - account->unknown, unexplained = account->ready;
  for (int i = 0; i < HINDRANCE_STOPPED; i++)
    unexplained -= account->lost[i];
  double lost = report_hindrance_gain(report) + fmax(0, unexplained) / (double)report->cpus;
  return known > 0 ? lost * account->all / known : (double)report->wall;
}

bool report_is_slower_than_work(const struct report *report, double *ret_work) {
  const uint64_t *activity = report->activity;
  double sharing = processors_at_most(report, (double)report->cpus); /* who lost it, at a time */
  double by_threads = report->lost_in_work - report->lost_anyway;
  double slower = fmax(by_threads * sharing, ticks_beyond_equal_shares(report));
  double work = (double)report->useful - slower, wall = (double)report->wall;
  *ret_work = work > 0 ? work : 0;
  if (report->account.is_known)
    wall -= lost_to_others(report);
  else if (report->processors.others > OTHERS_SHARE * report->processors.all)
    return false;
  return report->has_openmp && report->process_count == 1 && report->cpus > 1 &&
         !report->caveats.lacks_teams &&
         activity[ACTIVITY_MPI] + activity[ACTIVITY_DEVICE] + activity[ACTIVITY_UNKNOWN] == 0 &&
         work < WORK_SHARE * wall;
}
