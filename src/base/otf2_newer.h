/* What OTF2 3.1 has added to enumerations: written and read whatever OTF2 Stave was built with.
 * Readers of 3.0 need not know these numbers. */
#ifndef STAVE_BASE_OTF2_NEWER_H
#define STAVE_BASE_OTF2_NEWER_H

enum {
  NEWER_ROLE_CANCEL = 39,           /* OTF2_REGION_ROLE_CANCEL */
  NEWER_ROLE_KERNEL = 40,           /* OTF2_REGION_ROLE_KERNEL */
  NEWER_PARADIGM_OPENMP_TARGET = 25 /* OTF2_PARADIGM_OPENMP_TARGET */
};

#endif
