/* The ring of a thread (ring.h) and the wake protocol (session.c) as a model for spin.
 *
 * One producer, one writer, a ring of CAPACITY slots whose positions wrap at WRAP. Stores go through a store buffer, as
 * on a processor whose loads may overtake them; nothing ever times out, so that a lost wake is a deadlock, which spin
 * reports as an invalid end state. Asserted: every number arrives once and in order, no slot is overwritten before it
 * was read. Not modelled: growth, records of several slots, signal handlers (tests/stress has these).
 *
 * Each of these must make spin complain (tests/stress/model tries them):
 *   -DEARLY_HEAD      head is stored before the record
 *   -DEARLY_TAIL      tail is stored before the records are read
 *   -DNO_WAKE_FENCE   the producer looks at `asleep` while its store of head is still on its way
 *   -DNO_SLEEP_CHECK  the writer does not look again after it has said that it sleeps
 *   -DSLEEP_WHEN_FULL ... looks, but sleeps even if the ring is full
 *   -DNO_FINISH_CHECK ... looks at the ring only, not at whether the program has finished
 *   -DFULL_PLUS_ONE   the producer takes one slot more than there are */
#define CAPACITY 4
#define WRAP 8
#define EVENTS 10

/* The writer sleeps with so much unread; ring_view_can_wait says less, a quarter. */
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

/* what both sides see */
byte slot[CAPACITY], head, tail, wake;
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
  byte position = 0, number = 0, seen_tail;
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

inline read_records() {
  do
  :: next != seen_head ->
    assert(slot[SLOT_OF(next)] == expected);
    expected++;
    next = (next + 1) % WRAP
  :: else -> break
  od
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
  :: DISTANCE(next, head) < WAITS_BELOW -> wake != seen_wake
#else
  :: DISTANCE(next, head) < WAITS_BELOW && !finished -> wake != seen_wake
#endif
  :: else
#endif
  fi;
  writer_stores!ASLEEP(0, 0)
}

active proctype writer() {
  byte next = 0, expected = 0, seen_head, seen_wake;
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
    writer_stores!TAIL(0, next);
#endif
    if
    :: is_over && is_empty -> break
    :: !is_over -> sleep_until_woken()
    :: else
    fi
  od;
  assert(expected == EVENTS)
}
