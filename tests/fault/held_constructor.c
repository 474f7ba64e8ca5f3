/* Loaded by held, which waits here: the dynamic linker's lock is held meanwhile. */
void held_by_constructor(void);

__attribute__((constructor)) static void wait_here(void) {
  held_by_constructor();
}
