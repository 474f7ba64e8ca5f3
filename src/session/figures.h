/* What is counted of a session (figures.def): sums of what its parts have counted. */
#ifndef STAVE_SESSION_FIGURES_H
#define STAVE_SESSION_FIGURES_H

#include <stdatomic.h>
#include <stdint.h>

struct figures {
#define FIGURE(name, counted_by, shown, property, label, text) uint64_t name;
#include "session/figures.def"
#undef FIGURE
};

/* What the program's threads count: in the session memory, where the writer reads it meanwhile. */
struct tool_figures {
#define FIGURE_tool(name) _Atomic uint64_t name;
#define FIGURE_writer(name)
#define FIGURE(name, counted_by, shown, property, label, text) FIGURE_##counted_by(name)
#include "session/figures.def"
#undef FIGURE
#undef FIGURE_writer
#undef FIGURE_tool
};

/* Adds each figure of `part` to that of `sum`. */
static inline void figures_add(struct figures *sum, const struct figures *part) {
#define FIGURE(name, counted_by, shown, property, label, text) sum->name += part->name;
#include "session/figures.def"
#undef FIGURE
}

/* The same, of what threads have counted so far. */
static inline void figures_add_tool(struct figures *sum, const struct tool_figures *part) {
#define FIGURE_tool(name) sum->name += atomic_load_explicit(&part->name, memory_order_relaxed);
#define FIGURE_writer(name)
#define FIGURE(name, counted_by, shown, property, label, text) FIGURE_##counted_by(name)
#include "session/figures.def"
#undef FIGURE
#undef FIGURE_writer
#undef FIGURE_tool
}

#endif
