"""OTF2's global reader goes on from a location's reader after it has freed it, where a location has no event (3.0.2;
src/trace/trace_order.c opens no such location). It works as long as nobody writes there: what is freed must not be
filled, as MALLOC_PERTURB_ does, where python3-otf2 or OTF2's own programs read."""
import ctypes

M_PERTURB = -6      # malloc.h
SETTINGS = {"MALLOC_PERTURB_": "0"}


def spare_this_process():
    ctypes.CDLL(None).mallopt(M_PERTURB, 0)
