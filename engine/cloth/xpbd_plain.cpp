// the engine for any machine
#define TOILE_ISA plain
#include "cloth/xpbd_step.h"
