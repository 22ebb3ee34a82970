// distances from ellipsoids for every machine
#define TOILE_ISA plain
#include "contact/ellipsoids_measure.h"
