// the engine for machines with AVX-512: eight lanes with twice as many registers, sixteen on grids (the build adds the flags)
#define TOILE_ISA avx512
#define TOILE_SIXTEEN 1
#include "cloth/xpbd_step.h"
