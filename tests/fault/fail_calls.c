/* Preloaded into a program: lets calls into the C library fail by a plan, counts them, and notes which
 * failed.
 *
 * FAIL_CALLS names a file with a struct plan, mapped shared: what is noted survives however the process ends,
 * and forked children go on counting. Only calls of one module count, found by their return address, or those
 * of all. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum mode {
  MODE_COUNT,  /* none fails */
  MODE_SITE,   /* the `number`-th call of `site` */
  MODE_NTH,    /* the `number`-th of all */
  MODE_FROM,   /* the `number`-th and all later ones */
  MODE_RANDOM, /* each with a probability of `number` in a million, by `seed` */
};

enum { SITES = 1024, TEXT_BYTES = 64, NAME_BYTES = 24, FRAMES = 16 };

/* Where calls come from: an offset in the module (0 if all modules count), and for syscall() which one. */
struct site {
  _Atomic uint64_t key; /* 0: not used yet */
  char name[NAME_BYTES];
  uint64_t offset, system_call;
  _Atomic uint64_t calls, failed;
};

/* Where the process crashed, innermost first. */
struct frame {
  char module[NAME_BYTES];
  uint64_t offset;
};

/* Python's side of it is in tests/support/failing.py. */
struct plan {
  char module[TEXT_BYTES];           /* part of its file's name; "/": the program; "": all count */
  char spared[TEXT_BYTES];           /* functions that never fail, in spaces */
  uint64_t mode, site, number, seed; /* `site` is a key */
  _Atomic uint64_t calls, failed;
  struct site sites[SITES];
  uint64_t crash_signal; /* 0: none */
  struct frame frames[FRAMES];
};

static struct plan *plan;
static _Atomic uintptr_t module_low, module_high;

typedef long function(long, long, long, long, long, long, long);

/* -- whose call it is -- */

static int try_module(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  bool is_program = !*info->dlpi_name;
  if (plan->module[0] == '/' ? !is_program : is_program || !strstr(info->dlpi_name, plan->module))
    return 0;
  uintptr_t low = UINTPTR_MAX, high = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;
    if (segment->p_type != PT_LOAD)
      continue;
    low = begin < low ? begin : low;
    high = end > high ? end : high;
  }
  atomic_store(&module_low, low);
  atomic_store(&module_high, high);
  return 1;
}

/* Whether the call counts, and from where it comes. */
static bool is_meant(uintptr_t caller, uint64_t *ret_offset) {
  *ret_offset = 0;
  if (!plan || !*plan->module)
    return plan;
  if (!atomic_load(&module_high))
    dl_iterate_phdr(try_module, NULL);
  *ret_offset = caller - atomic_load(&module_low);
  return caller >= atomic_load(&module_low) && caller < atomic_load(&module_high);
}

/* -- what happens to it -- */

/* splitmix64 of seed and number: the same for the same plan, whichever thread calls. */
static uint64_t random_of(uint64_t seed, uint64_t number) {
  uint64_t bits = seed + number * UINT64_C(0x9e3779b97f4a7c15);
  bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
  return bits ^ bits >> 31;
}

static uint64_t key_of(const char *name, uint64_t offset, uint64_t system_call) {
  uint64_t key = random_of(offset, system_call);
  for (; *name; name++)
    key = random_of(key, (unsigned char)*name);
  return key | 1;
}

/* Without waiting for anybody: the caller may be a signal handler. */
static struct site *find_site(const char *name, uint64_t offset, uint64_t system_call) {
  uint64_t key = key_of(name, offset, system_call);
  for (struct site *site = plan->sites; site < plan->sites + SITES; site++) {
    uint64_t seen = 0;
    if (atomic_compare_exchange_strong(&site->key, &seen, key)) {
      strncpy(site->name, name, sizeof site->name - 1);
      site->offset = offset;
      site->system_call = system_call;
      return site;
    }
    if (seen == key)
      return site;
  }
  return NULL;
}

static bool is_spared(const char *name) {
  char word[NAME_BYTES + 2] = " ";
  strncat(word, name, sizeof word - 3);
  strcat(word, " ");
  return strstr(plan->spared, word);
}

static bool decide(const struct site *site, uint64_t number_there, uint64_t number) {
  switch ((enum mode)plan->mode) {
  case MODE_COUNT:
    return false;
  case MODE_SITE:
    return site->key == plan->site && number_there == plan->number;
  case MODE_NTH:
    return number == plan->number;
  case MODE_FROM:
    return number >= plan->number;
  case MODE_RANDOM:
    return random_of(plan->seed, number) % 1000000 < plan->number;
  }
  return false;
}

static bool must_fail(const char *name, uint64_t system_call, void *caller) {
  uint64_t offset;
  if (!is_meant((uintptr_t)caller, &offset) || is_spared(name))
    return false;
  struct site *site = find_site(name, offset, system_call);
  if (!site)
    return false;
  uint64_t number_there = atomic_fetch_add(&site->calls, 1) + 1,
           number = atomic_fetch_add(&plan->calls, 1) + 1;
  if (!decide(site, number_there, number))
    return false;
  atomic_fetch_add(&site->failed, 1);
  atomic_fetch_add(&plan->failed, 1);
  return true;
}

/* -- the functions -- */

static function *next_of(function *_Atomic *next, const char *name) {
  if (!*next)
    *next = (function *)dlsym(RTLD_NEXT, name);
  return *next;
}

/* Arguments and results are passed on as they are: on x86-64 and aarch64 the integers and pointers of all
 * these functions lie where seven longs would. The functions have other names here, since headers declare
 * them otherwise. */
#define PARAMETERS long a, long b, long c, long d, long e, long f, long g
#define NEXT(name) next_of(&next, #name)(a, b, c, d, e, f, g)
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))
#define DECLARE(name) __attribute__((visibility("default"))) function fail_##name __asm__(#name);

#define FAILING(name, result, error)                                                                         \
  DECLARE(name)                                                                                              \
  long fail_##name(PARAMETERS) {                                                                             \
    static function *_Atomic next;                                                                           \
    if (!must_fail(#name, 0, CALLER))                                                                        \
      return NEXT(name);                                                                                     \
    errno = error;                                                                                           \
    return result;                                                                                           \
  }

/* Those whose failure does not undo what they have done. */
#define FAILING_AFTERWARDS(name, result, error)                                                              \
  DECLARE(name)                                                                                              \
  long fail_##name(PARAMETERS) {                                                                             \
    static function *_Atomic next;                                                                           \
    long done = NEXT(name);                                                                                  \
    if (!must_fail(#name, 0, CALLER))                                                                        \
      return done;                                                                                           \
    errno = error;                                                                                           \
    return result;                                                                                           \
  }
#include "fail_calls.def"

static int error_of(long system_call) {
  switch (system_call) {
  case SYS_clone:
  case SYS_timer_create:
    return EAGAIN;
  case SYS_pidfd_open:
    return EMFILE;
  default:
    return EPERM;
  }
}

/* System calls that cannot fail. */
static bool is_certain(long number) {
  return number == SYS_gettid || number == SYS_exit_group;
}

DECLARE(syscall)
long fail_syscall(PARAMETERS) {
  static function *_Atomic next;
  if (is_certain(a) || !must_fail("syscall", (uint64_t)a, CALLER))
    return NEXT(syscall);
  errno = error_of(a);
  return -1;
}

/* -- when it crashes -- */

static void note_frame(struct frame *frame, void *address) {
  Dl_info found = {0};
  if (!dladdr(address, &found) || !found.dli_fname)
    return;
  const char *slash = strrchr(found.dli_fname, '/');
  strncpy(frame->module, slash ? slash + 1 : found.dli_fname, sizeof frame->module - 1);
  frame->offset = (uint64_t)((char *)address - (char *)found.dli_fbase);
}

/* Returns to be struck again. */
static void on_crash(int number) {
  enum { OWN_FRAMES = 2 }; /* this one and the kernel's */
  void *addresses[FRAMES + OWN_FRAMES];
  plan->mode = MODE_COUNT;
  int count = backtrace(addresses, FRAMES + OWN_FRAMES);
  for (int i = OWN_FRAMES; i < count; i++)
    note_frame(&plan->frames[i - OWN_FRAMES], addresses[i]);
  plan->crash_signal = (uint64_t)number;
  signal(number, SIG_DFL);
}

static void watch_for_crashes(void) {
  static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  void *first[1];
  backtrace(first, 1); /* it gets its memory now */
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
    signal(crashes[i], on_crash);
}

/* Until the plan is there, nothing counts. */
__attribute__((constructor)) static void find_plan(void) {
  const char *path = getenv("FAIL_CALLS");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0)
    return;
  void *memory = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (memory == MAP_FAILED)
    return;
  plan = memory;
  if (plan->module[0] == '/' || !*plan->module)
    watch_for_crashes();
}
