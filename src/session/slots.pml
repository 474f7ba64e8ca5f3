/* The slots of threads (session.c, tool/slots.c) as a model for spin: the stack of free ones, threads that give theirs
 * back or die with it, kernel ids that come again, the one that looks for dead owners, and the writer.
 *
 * Each load, store and compare-and-exchange is a step of its own; all see the same order (the ring's model has the
 * store buffers). Asserted: no two threads have the same slot, and in the end every slot is free: none is lost, none is
 * in the stack twice. Not modelled: rings that are not drained, and the time until a process looks.
 *
 * Each of these must make spin complain (tests/stress/model tries them):
 *   -DNO_COUNTER      the top of the stack has no change counter
 *   -DNO_TURN         a slot's owner is only a kernel id, which comes again
 *   -DNO_SECOND_LOOK  the owner is not looked at again once the kernel has announced that it is dead
 *   -DTWO_LOOK        nobody keeps a second thread from looking at the same time
 *   -DLATE_FREE       a slot goes to the stack first and is marked free then
 *   -DKEEP_OWNER      a slot in the stack still names its last owner */
#define SLOTS 2
#define THREADS 2
#define LIVES 2 /* each thread is followed by another */
#define TIDS 3
#define NOBODY 0
#define ENDED 9

/* the session's header and slots; an owner is a kernel id */
byte top, changes, used;
byte next[SLOTS], owner[SLOTS], turn[SLOTS];

/* the kernel's part, what must hold, and tool.slots_since_look */
bool is_alive[TIDS + 1];
byte users[SLOTS], finished;
bool is_looking;

#ifdef NO_COUNTER
#define TOP_IS(first, count) (top == first)
#else
#define TOP_IS(first, count) (top == first && changes == count)
#endif

#ifdef NO_SECOND_LOOK
#define STILL_OWNS(slot, tid, number) true
#else
#ifdef NO_TURN
#define STILL_OWNS(slot, tid, number) (owner[slot] == tid)
#else
#define STILL_OWNS(slot, tid, number) (owner[slot] == tid && turn[slot] == number)
#endif
#endif

inline set_free(slot) {
#ifndef KEEP_OWNER
  owner[slot] = NOBODY
#else
  skip
#endif
}

/* session_return_slot */
inline return_slot(slot) {
#ifndef LATE_FREE
  set_free(slot);
#endif
  do
  :: atomic { first = top; count = changes };
    next[slot] = first;
    if
    :: atomic { TOP_IS(first, count) -> top = slot + 1; changes++ }; break
    :: atomic { !TOP_IS(first, count) -> skip }
    fi
  od;
#ifdef LATE_FREE
  set_free(slot);
#endif
  atomic { first = 0; count = 0 }
}

/* session_get_slot; `mine` is SLOTS where there is none */
inline get_slot(tid) {
  mine = SLOTS;
  do
  :: atomic { first = top; count = changes };
    if
    :: first == 0 -> break
    :: else ->
      following = next[first - 1];
      if
      :: atomic { TOP_IS(first, count) -> top = following; changes++; mine = first - 1 }; break
      :: atomic { !TOP_IS(first, count) -> skip }
      fi
    fi
  od;
  if
  :: atomic { mine == SLOTS && used < SLOTS -> mine = used; used++ }
  :: atomic { !(mine == SLOTS && used < SLOTS) -> skip }
  fi;
  if
  :: mine < SLOTS -> atomic { turn[mine]++; owner[mine] = tid }
  :: else
  fi;
  atomic { first = 0; count = 0; following = 0 }
}

/* look_for_dead */
inline look() {
  i = 0;
  do
  :: i < used ->
    atomic { seen = owner[i]; number = turn[i] };
    if
    :: seen != NOBODY && seen != ENDED ->
      if
      :: !is_alive[seen] ->
        if
        :: STILL_OWNS(i, seen, number) -> return_slot(i)
        :: else
        fi
      :: else
      fi
    :: else
    fi;
    i++
  :: else -> break
  od;
  atomic { i = 0; seen = 0; number = 0 }
}

inline look_alone() {
#ifdef TWO_LOOK
  look()
#else
  if
  :: atomic { !is_looking -> is_looking = true }; look(); is_looking = false
  :: atomic { is_looking -> skip }
  fi
#endif
}

inline be_born() {
  if
  :: atomic { !is_alive[1] -> tid = 1; is_alive[tid] = true }
  :: atomic { !is_alive[2] -> tid = 2; is_alive[tid] = true }
  :: atomic { !is_alive[TIDS] -> tid = TIDS; is_alive[tid] = true }
  fi
}

proctype thread() {
  byte lives, tid, mine, first, count, following, i, seen, number;
  do
  :: lives < LIVES ->
    be_born();
    if
    :: look_alone()
    :: true
    fi;
    get_slot(tid);
    if
    :: mine < SLOTS ->
      users[mine]++;
      assert(users[mine] == 1);
      users[mine]--;
      if
      :: return_slot(mine)     /* thread_end */
      :: owner[mine] = ENDED   /* thread_end, and the ring is full */
      :: skip                  /* no thread_end */
      fi
    :: else
    fi;
    atomic { is_alive[tid] = false; tid = 0; mine = 0; lives++ }
  :: else -> break
  od;
  finished++
}

/* return_if_ended */
proctype writer() {
  byte slot, first, count, i, seen, number, entries;
  bool is_over;
  do
  :: is_over = (finished == THREADS);
    slot = 0;
    do
    :: slot < SLOTS ->
      if
      :: owner[slot] == ENDED -> return_slot(slot)
      :: else
      fi;
      slot++
    :: else -> break
    od;
    if
    :: is_over -> break
    :: else -> finished == THREADS || owner[0] == ENDED || owner[1] == ENDED
    fi
  od;
  look();
  atomic {
    first = top;
    do
    :: first != 0 && entries <= SLOTS -> entries++; first = next[first - 1]
    :: else -> break
    od
  }
  assert(entries == used)
}

/* Both slots have been used before: the second lies on the first. */
init {
  atomic {
    used = SLOTS;
    top = 2;
    next[1] = 1;
    run thread();
    run thread();
    run writer()
  }
}
