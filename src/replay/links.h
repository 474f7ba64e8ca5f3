/* Links: what lets a location go on, or begin something. The replay makes them of the events of OpenMP
 * (replay_links.c) and of MPI, once for all who follow what waits for what. */
#ifndef STAVE_REPLAY_LINKS_H
#define STAVE_REPLAY_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* When and where something happened. */
struct replay_moment {
  uint64_t ticks;
  size_t location;
};

enum replay_link_kind {
#define LINK(id, name, text) REPLAY_LINK_##id,
#include "replay/links.def"
};

/* What happened at `from` let a location go on at `to`. These are the edges of the graph along which critical
 * paths lead. Of forks and dependences all come, of others those that a location has waited for. */
struct replay_link {
  enum replay_link_kind kind;
  struct replay_moment from, to;
  uint64_t since_ticks; /* until `to` it has not worked */
  bool has_waited;      /* for this, and for nothing that came later */
};

#endif
