// the engine for machines with AVX-512: the same eight lanes, twice as many registers (the build adds the flags)
#define TOILE_ISA avx512
#include "xpbd_step.h"
