// length constraints for every machine
#define TOILE_ISA plain
#include "cloth/verlet_relax.h"
