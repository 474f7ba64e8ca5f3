/* OTF2 requests the host's id as it closes an archive, and makes nothing of the answer but that it is not 0.
 * glibc answers by requesting the host's name and its address: the program's end would wait for a name server
 * that does not answer. This one, which a program's libraries find before the C library's, sends no question.
 * (subprojects/ builds OTF2 without it.) */
#include <unistd.h>

__attribute__((visibility("default"))) long gethostid(void) {
  return 1;
}
