// the engine for any machine
#define TOILE_ISA plain
#include "xpbd_step.h"
