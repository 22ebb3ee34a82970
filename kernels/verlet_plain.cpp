// length constraints for every machine
#define TOILE_ISA plain
#include "verlet_relax.h"
