// distances from ellipsoids for every machine
#define TOILE_ISA plain
#include "ellipsoids_measure.h"
