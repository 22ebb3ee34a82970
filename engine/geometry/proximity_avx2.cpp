// near cloth for machines with AVX2 (the build adds the flag); elsewhere the same code again, never chosen
#define TOILE_ISA avx2
#include "geometry/proximity_step.h"
