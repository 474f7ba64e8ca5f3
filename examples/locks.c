// A bank: transfers under one lock per account, audits under a nest lock, a log under critical.
//
//   locks [TRANSFERS [ACCOUNTS]]
//
// In its timeline: short waits in omp_set_lock wherever two transfers need the same account, more of
// them with fewer ACCOUNTS; and the critical section of the log, through which every thread must
// pass. Each lock has its own order of owners.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { START_BALANCE = 1000, LOG_EVERY = 16, AUDIT_EVERY = 250 };

typedef struct {
  long balance;
  omp_lock_t lock;
} account_t;

static omp_nest_lock_t audit_lock;
static long audits, logged, moved;

static unsigned next_random(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

// Always locks the account with the lower number first, so that no two transfers wait for each other.
static void transfer(account_t *accounts, int from, int to, long amount) {
  int first = from < to ? from : to, second = from < to ? to : from;
  omp_set_lock(&accounts[first].lock);
  omp_set_lock(&accounts[second].lock);
  accounts[from].balance -= amount;
  accounts[to].balance += amount;
  omp_unset_lock(&accounts[second].lock);
  omp_unset_lock(&accounts[first].lock);
}

static void count_audit(void) {
  omp_set_nest_lock(&audit_lock); // its owner may set it again
  audits++;
  omp_unset_nest_lock(&audit_lock);
}

static void audit(void) {
  omp_set_nest_lock(&audit_lock);
  count_audit();
  omp_unset_nest_lock(&audit_lock);
}

static void log_amounts(long amount) {
#pragma omp critical(log)
  {
    logged++;
    moved += amount;
  }
}

static void one_transfer(account_t *accounts, int count, int number) {
  unsigned state = number * 2654435761u;
  int from = next_random(&state) % count;
  int to = (from + 1 + next_random(&state) % (count - 1)) % count;
  long amount = next_random(&state) % 100;
  transfer(accounts, from, to, amount);
  if (number % LOG_EVERY == 0)
    log_amounts(amount);
  if (number % AUDIT_EVERY == 0)
    audit();
}

static account_t *open_accounts(int count) {
  account_t *accounts = calloc(count, sizeof *accounts);
  if (!accounts) {
    perror("locks");
    exit(1);
  }
  for (int i = 0; i < count; i++) {
    accounts[i].balance = START_BALANCE;
    omp_init_lock(&accounts[i].lock);
  }
  return accounts;
}

static long close_accounts(account_t *accounts, int count) {
  long total = 0;
  for (int i = 0; i < count; i++) {
    total += accounts[i].balance;
    omp_destroy_lock(&accounts[i].lock);
  }
  free(accounts);
  return total;
}

int main(int argc, char **argv) {
  int transfers = argc > 1 ? atoi(argv[1]) : 10000;
  int count = argc > 2 ? atoi(argv[2]) : 20;
  if (transfers < 1 || count < 2) {
    fprintf(stderr, "usage: locks [TRANSFERS [ACCOUNTS (2..)]]\n");
    return 2;
  }
  account_t *accounts = open_accounts(count);
  omp_init_nest_lock(&audit_lock);
#pragma omp parallel for schedule(dynamic, 50)
  for (int i = 0; i < transfers; i++)
    one_transfer(accounts, count, i);
  omp_destroy_nest_lock(&audit_lock);
  long total = close_accounts(accounts, count);
  int is_right = total == (long)count * START_BALANCE;
  printf("locks %d transfers, %d accounts: %ld logged, %ld audits, total %ld, %s\n", transfers, count, logged,
         audits, total, is_right ? "right" : "WRONG");
  return !is_right;
}
