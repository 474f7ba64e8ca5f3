#include "cli/record/plan.h"

#include "cli/common/message.h"
#include "cli/programs/locate.h"
#include "cli/programs/runtime.h"
#include "session/launcher.h"
#include "session/mpi_setting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool cannot_load(const struct program *program) {
  if (program->kind == PROGRAM_FOREIGN)
    message_print("%s is a program of another word size or machine than Stave; it runs untraced",
                  program->path);
  else if (program->is_privileged)
    message_print("%s is set-user-ID, set-group-ID or has capabilities, and Stave runs no code with raised "
                  "rights; it runs "
                  "untraced: trace a copy without them",
                  program->path);
  return program->kind == PROGRAM_FOREIGN || program->is_privileged;
}

static bool find_library(struct plan *plan) {
  if (locate_library(&plan->library) == 0)
    return true;
  const char *requested = getenv("STAVE_LIBRARY");
  if (requested)
    message_print(
        "cannot read STAVE_LIBRARY=%s: set it to the path of libstave.so; the program runs untraced",
        requested);
  else
    message_print(
        "cannot find libstave.so: install Stave again or set STAVE_LIBRARY to its path; the program "
        "runs untraced");
  return false;
}

/* libgomp is out of a library path's reach. */
static bool libgomp_is_fixed(const struct program *program, bool preloads) {
  static const char untraced[] = "it cannot be run on libomp and runs untraced: build it with clang, or with "
                                 "libgomp as a shared library";
  if (program->libgomp_fixed && !preloads)
    message_print(
        "%s finds its own libgomp (%s) before any library path (DT_RPATH); %s that is looked up, or "
        "try --preload",
        program->libgomp_user, program->libgomp_fixed, untraced);
  else if (program->libgomp_user)
    return false;
  else if (program->libgomp_static) /* its calls are bound to it: nothing that is preloaded is in front */
    message_print("%s contains libgomp; %s", program->libgomp_static, untraced);
  else if (program->libgomp_copy && !preloads)
    message_print("%s uses a renamed copy of libgomp (%s); %s called libgomp.so.1, or try --preload",
                  program->path, program->libgomp_copy, untraced);
  else
    return false;
  return true;
}

static bool runtime_suffices(const struct program *program, const char *runtime) {
  struct string_list missing = {0};
  char names[256] = "";
  runtime_missing(runtime, &program->versions, &program->symbols, &missing);
  size_t used = 0;
  for (size_t i = 0; i < missing.count && used < sizeof names; i++) /* cut if there are very many */
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", missing.items[i]);
  bool suffices = missing.count == 0;
  if (!suffices)
    message_print(
        "%s needs %s of libgomp, which %s lacks; it runs untraced: build it with clang -fopenmp, or give a "
        "libomp that has them with --runtime",
        program->path, names, runtime);
  string_list_clear(&missing);
  return suffices;
}

static bool is_requested(const char *runtime, const char *word) {
  return runtime && strcmp(runtime, word) == 0;
}

/* STAVE_RUNTIME (--runtime) as the user meant it; without it gcc's programs stay on libgomp. False if it is
 * set and useless; has reported it. */
static bool find_runtime(struct plan *plan) {
  const char *requested = getenv("STAVE_RUNTIME");
  bool is_any = is_requested(requested, "llvm");
  plan->leaves_libgomp = is_requested(requested, "none");
  if (!requested || *requested == '\0' || plan->leaves_libgomp)
    return true;
  if (runtime_find(is_any ? NULL : requested, &plan->runtime) == 0)
    return true;
  if (is_any)
    message_print(
        "no libomp.so.5 is found (--runtime llvm): install libomp5, or give its file with --runtime; the "
        "program runs untraced");
  else
    message_print(
        "%s is no libomp.so.5 that can replace libgomp (STAVE_RUNTIME, --runtime); allowed: a path, "
        "llvm or none; the program runs untraced",
        requested);
  return false;
}

/* Without libstave-gomp.so nothing can replace libgomp. */
static bool find_gomp(struct plan *plan) {
  if (!plan->runtime || locate_gomp(&plan->gomp) == 0)
    return true;
  message_print("cannot find libstave-gomp.so: install Stave again; the program runs untraced");
  return false;
}

/* --runtime none: only programs with a runtime that has a tool interface are traced. */
static bool leave_libgomp(const struct program *program) {
  if (program->libgomp_user && !program->has_libomp)
    message_print(
        "%s uses gcc's OpenMP runtime (libgomp.so.1, needed by %s), which is left alone (--runtime none); it "
        "runs untraced",
        program->path, program->libgomp_user);
  return !program->libgomp_user || program->has_libomp;
}

/* On another OpenMP runtime ThreadSanitizer finds other races, and knows nothing of the adapter's. */
static bool is_for_tsan(const struct program *program) {
  if (program->libgomp_user && program->has_tsan)
    message_print(
        "%s is checked by ThreadSanitizer, which would find other races with a tool; it runs untraced",
        program->path);
  return program->libgomp_user && program->has_tsan;
}

/* In front of whatever libgomp the program has or will have. */
static bool plan_own_libgomp(const struct program *program, struct plan *plan) {
  if (program->libgomp_static && !program->libgomp_user && !program->has_libomp) {
    message_print(
        "%s contains libgomp, whose calls cannot be seen from outside; it runs untraced: link libgomp as a "
        "shared library",
        program->libgomp_static);
    return false;
  }
  if (is_for_tsan(program))
    return false;
  if (locate_libgomp(plan->library, &plan->libgomp) == 0 ||
      (!program->libgomp_user && !program->libgomp_copy))
    return true;
  message_print("cannot find libstave-libgomp.so: install Stave again; the program runs untraced");
  return false;
}

static bool needs_symbol(const struct program *program, const char *symbol) {
  for (size_t i = 0; i < program->symbols.count; i++)
    if (strcmp(program->symbols.items[i], symbol) == 0)
      return true;
  return false;
}

/* Faults of LLVM's runtime under gcc's programs. Those of its tasks cannot be distinguished beforehand from
 * tasks that are right. */
static bool survives_move(const struct program *program) {
  if (program->libgomp_user && access("/dev/shm", W_OK) != 0) {
    message_print(
        "LLVM's runtime ends programs where /dev/shm cannot be written; %s runs untraced: leave out "
        "--runtime",
        program->path);
    return false;
  }
  if (needs_symbol(program, "GOMP_task"))
    message_print("%s creates tasks: LLVM's runtime fails for gcc's undeferred tasks with C++ objects "
                  "(firstprivate), and "
                  "for untied ones; without --runtime it runs on its own",
                  program->path);
  return true;
}

/* On LLVM's runtime. A second copy of libomp in the process would make the first one abort. */
static bool plan_moved_libgomp(const struct program *program, struct plan *plan) {
  if (program->has_libomp)
    return true;
  if (libgomp_is_fixed(program, plan->preloads))
    return false;
  return !program->libgomp_user ||
         (!is_for_tsan(program) && runtime_suffices(program, plan->runtime) && survives_move(program));
}

static bool plan_libgomp(const struct program *program, struct plan *plan) {
  if (!find_runtime(plan))
    return false;
  if (plan->leaves_libgomp)
    return leave_libgomp(program);
  return plan->runtime ? plan_moved_libgomp(program, plan) : plan_own_libgomp(program, plan);
}

/* A rank may be a program that loads its MPI later, as Python does; and any program may start a launcher,
 * which the user has to request: what is preloaded is a risk to each program that is started. Without
 * libstave-mpi.so only OpenMP is traced. */
static void find_mpi(const struct program *program, struct plan *plan) {
  if (mpi_setting_is("off"))
    return;
  if ((mpi_setting_is("on") || program->has_mpi || launcher_has_many()) &&
      locate_mpi(plan->library, &plan->mpi) != 0)
    message_print("cannot find libstave-mpi.so: install Stave again; calls of MPI are not traced");
}

/* `stave record` in a script that is recorded finds the outer one's. */
static bool is_own_injection(const char *path) {
  const char *slash = strrchr(path, '/');
  return strcmp(slash ? slash + 1 : path, "libstave-cuda.so") == 0;
}

/* A program that uses no CUDA never loads it, so where it is not installed nothing is to be reported. */
static void find_cuda(struct plan *plan) {
  const char *requested = getenv("STAVE_DEVICE"), *other = getenv("CUDA_INJECTION64_PATH");
  bool is_off = requested && strcmp(requested, "off") == 0;
  bool is_in_use = other && *other && !is_own_injection(other);
  if (!is_off && is_in_use)
    message_print(
        "CUDA_INJECTION64_PATH is set already (%s): if the program uses CUDA, what its devices do is not "
        "recorded",
        other);
  else if (!is_off)
    locate_cuda(plan->library, &plan->cuda);
}

bool plan_make(const struct program *program, bool preloads, struct plan *ret) {
  *ret = (struct plan){.preloads = preloads || program->puts_libraries_first};
  if (cannot_load(program) || !find_library(ret) || !plan_libgomp(program, ret) || !find_gomp(ret))
    return false;
  find_mpi(program, ret);
  find_cuda(ret);
  return true;
}

void plan_clear(struct plan *plan) {
  free(plan->library);
  free(plan->runtime);
  free(plan->gomp);
  free(plan->libgomp);
  free(plan->mpi);
  free(plan->cuda);
  *plan = (struct plan){0};
}

/* Of other users' processes: their writers may not open the FIFO by which archives are reported. */
#define NOT_KNOWN "; archives of other users' processes (setpriv, su) are not known here"

void plan_explain_silence(const struct program *program, const struct plan *plan) {
  const char *hint = plan->leaves_libgomp ? "; programs built by gcc are not traced (--runtime none)"
                     : plan->mpi          ? ""
                                          : "; calls of MPI in what it runs are traced with STAVE_MPI=on";
  if (program->has_libomp || program->libgomp_user)
    message_print("no archive: %s used no OpenMP in this run, or was not traced (reason above)" NOT_KNOWN,
                  program->path);
  else if (program->kind == PROGRAM_NATIVE && !program->is_script)
    message_print("no archive: %s is not linked with OpenMP (-fopenmp); if it runs one that is, that did not "
                  "use OpenMP, or "
                  "ran in another environment (env -i)" NOT_KNOWN "%s",
                  program->path, hint);
  else
    message_print("no archive: no OpenMP runtime started in %s" NOT_KNOWN "%s", program->path, hint);
}
