/* The ring of a thread (ring.h), the wake protocol (session.c) and the backlog (ring_merge.c, drain.c) as a model
 * for spin.
 *
 * One producer, one writer, a ring of CAPACITY slots whose positions wrap at WRAP, a backlog of BACKLOG records, into
 * which the writer moves what is in the ring, or not, after each record that it reads; then it naps, or not, while
 * the backlog has room. Stores go through a store buffer, as on a processor whose loads may overtake them; nothing
 * ever times out, so that a lost wake, in a nap too, is a deadlock, which spin reports as an invalid end state.
 * Asserted: every number arrives once and in order, no slot is overwritten before it was read. Not modelled: growth,
 * records of several slots, signal handlers (tests/stress has these).
 *
 * Each of these must make spin complain (tests/stress/model tries them):
 *   -DEARLY_HEAD      head is stored before the record
 *   -DEARLY_TAIL      tail is stored before the records are read
 *   -DNO_WAKE_FENCE   the producer looks at `asleep` while its store of head is still in the store buffer
 *   -DNO_SLEEP_CHECK  the writer does not look again after it has announced that it sleeps
 *   -DSLEEP_WHEN_FULL ... looks, but sleeps even if the ring is full
 *   -DNO_FINISH_CHECK ... looks at the ring only, not at whether the program has finished
 *   -DFULL_PLUS_ONE   the producer uses one slot more than there are
 *   -DEARLY_RELIEF    tail is stored before the records are moved
 *   -DREAD_RING_ONLY  what was moved is read where it was
 *   -DBACKLOG_PLUS_ONE one record more is moved than the backlog has room for */
#define CAPACITY 4
#define WRAP 8
#define START 4 /* the first position, so that positions wrap */
#define EVENTS 7
#define BACKLOG 2

/* The writer sleeps with so much unread; ring_view_can_wait states less, a quarter. */
#ifdef SLEEP_WHEN_FULL
#define WAITS_BELOW (CAPACITY + 1)
#else
#define WAITS_BELOW (CAPACITY / 2)
#endif

#define SLOT_OF(position) ((position) % CAPACITY)
#define DISTANCE(from, to) (((to) + WRAP - (from)) % WRAP)

#ifdef FULL_PLUS_ONE
#define ROOM (CAPACITY + 1)
#else
#define ROOM CAPACITY
#endif

#ifdef BACKLOG_PLUS_ONE
#define BACKLOG_ROOM (BACKLOG + 1)
#else
#define BACKLOG_ROOM BACKLOG
#endif

/* what both sides see */
byte slot[CAPACITY], head = START, tail = START, wake;
bool asleep, finished;

/* the stores of each side that the other does not see yet, in order */
mtype = { SLOT, HEAD, TAIL, ASLEEP, FINISHED };
chan producer_stores = [2] of { mtype, byte, byte };
chan writer_stores = [2] of { mtype, byte, byte };

inline take_effect(what, index, value) {
  if
  :: what == SLOT -> slot[index] = value
  :: what == HEAD -> head = value
  :: what == TAIL -> tail = value
  :: what == ASLEEP -> asleep = value
  :: what == FINISHED -> finished = value
  fi
}

active proctype memory() {
  mtype what;
  byte index, value;
end:
  do
  :: atomic { producer_stores?what,index,value -> take_effect(what, index, value) }
  :: atomic { writer_stores?what,index,value -> take_effect(what, index, value) }
  od
}

/* session_wake_writer */
inline wake_writer() {
#ifndef NO_WAKE_FENCE
  empty(producer_stores);
#endif
  if
  :: asleep -> atomic { empty(producer_stores) -> wake++ }
  :: else
  fi
}

/* thread_reserve, EVENT_PUT, ring_commit; the marks are at every position */
active proctype producer() {
  byte position = START, number = 0, seen_tail;
  do
  :: number < EVENTS ->
    seen_tail = tail;
    if
    :: DISTANCE(seen_tail, position) + 1 > ROOM ->
      wake_writer();
      tail != seen_tail /* wait_for_room */
    :: else ->
      if
      :: DISTANCE(seen_tail, position) + 1 >= CAPACITY / 2 -> wake_writer()
      :: else
      fi
    fi;
#ifdef EARLY_HEAD
    producer_stores!HEAD(0, (position + 1) % WRAP);
    producer_stores!SLOT(SLOT_OF(position), number);
#else
    producer_stores!SLOT(SLOT_OF(position), number);
    producer_stores!HEAD(0, (position + 1) % WRAP);
#endif
    position = (position + 1) % WRAP;
    number++
  :: else -> break
  od;
  producer_stores!FINISHED(0, 1); /* tool_end_session */
  wake_writer()
}

/* session_writer_sleep */
inline sleep_until_woken() {
  seen_wake = wake;
  writer_stores!ASLEEP(0, 1);
  empty(writer_stores);
  if
#ifdef NO_SLEEP_CHECK
  :: true -> wake != seen_wake
#else
#ifdef NO_FINISH_CHECK
  :: DISTANCE(view, head) < WAITS_BELOW -> wake != seen_wake
#else
  :: DISTANCE(view, head) < WAITS_BELOW && !finished -> wake != seen_wake
#endif
  :: else
#endif
  fi;
  writer_stores!ASLEEP(0, 0)
}

/* ring_merge.c, move_out */
inline relieve() {
  moved_head = head;
#ifdef EARLY_RELIEF
  writer_stores!TAIL(0, moved_head);
#endif
  d_step {
    do
    :: view != moved_head && DISTANCE(next, view) < BACKLOG_ROOM ->
      backlog[view % BACKLOG] = slot[SLOT_OF(view)];
      view = (view + 1) % WRAP
    :: else -> break
    od;
    moved_head = 0
  }
  writer_stores!TAIL(0, view)
}

/* drain.c, drain_yield_cpu */
inline look_around() {
  if
  :: relieve();
    if
    :: DISTANCE(next, view) < BACKLOG -> sleep_until_woken(); relieve()
    :: skip
    fi
  :: skip
  fi
}

/* A record is where its position states: below view in the backlog, else in the ring. */
inline read_records() {
  do
  :: next != seen_head ->
    if
#ifndef READ_RING_ONLY
    :: next != view -> assert(backlog[next % BACKLOG] == expected)
#else
    :: next != view -> assert(slot[SLOT_OF(next)] == expected)
#endif
    :: else -> d_step { assert(slot[SLOT_OF(next)] == expected); view = (view + 1) % WRAP }
    fi;
    d_step { expected++; next = (next + 1) % WRAP };
    look_around()
  :: else -> break
  od
}

active proctype writer() {
  byte next = START, view = START, expected = 0, seen_head, moved_head, seen_wake;
  byte backlog[BACKLOG];
  bool is_over, is_empty;
  do
  :: is_over = finished;
    seen_head = head;
    is_empty = (seen_head == next);
#ifdef EARLY_TAIL
    writer_stores!TAIL(0, seen_head);
    read_records();
#else
    read_records();
    writer_stores!TAIL(0, view);
#endif
    if
    :: is_over && is_empty -> break
    :: !is_over && next == view -> sleep_until_woken()
    :: else
    fi
  od;
  assert(expected == EVENTS)
}
