// springs of the follow solver for every machine
#define TOILE_ISA plain
#include "cloth/follow_step.h"
