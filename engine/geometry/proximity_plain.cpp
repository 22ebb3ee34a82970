// near cloth for any machine
#define TOILE_ISA plain
#include "geometry/proximity_step.h"
