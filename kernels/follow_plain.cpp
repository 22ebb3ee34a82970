// springs of the follow solver for every machine
#define TOILE_ISA plain
#include "follow_step.h"
