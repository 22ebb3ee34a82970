// search for the nearest triangle, for any machine
#define TOILE_ISA plain
#include "geometry/bvh_lanes_step.h"
