// search for the nearest triangle, for machines with AVX-512 (the build adds the flags)
#define TOILE_ISA avx512
#include "geometry/bvh_lanes_step.h"
