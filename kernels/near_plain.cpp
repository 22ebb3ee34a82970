// near cloth for any machine
#define TOILE_ISA plain
#include "near_step.h"
