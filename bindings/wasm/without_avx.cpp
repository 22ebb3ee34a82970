// What the engine names but never calls here: code for AVX2, and what would run when a thread ends. Threads and the module end together.
#include "cloth/xpbd.h"
#include "contact/pairs.h"
#include "core/threads.h"
#include "geometry/proximity.h"
#include "geometry/proximity_view.h"

extern "C" int __cxa_thread_atexit(void (*)(void *), void *, void *) { return 0; }

namespace avx2 {
using namespace surface;
void step(const ClothView<float, std::uint16_t> &, const StepOptions<float> &, int, int, Barrier &) { __builtin_trap(); }
void step(const ClothView<float, std::int32_t> &, const StepOptions<float> &, int, int, Barrier &) { __builtin_trap(); }
void step(const ClothView<double, std::int32_t> &, const StepOptions<double> &, int, int, Barrier &) { __builtin_trap(); }
void open_patch(const PatchView &, std::int32_t, OpenPatch &) { __builtin_trap(); }
void search_patches(const PatchView &, const OpenPatch &, const OpenPatch &, bool, float, NearWork &) { __builtin_trap(); }
void finish_search(const PatchView &, NearWork &) { __builtin_trap(); }
std::size_t touching_boxes(const PatchView &, const OpenPatch &, const OpenPatch &, float, std::int32_t *) { __builtin_trap(); }
void measure_edges(const NearCloth<float> &, const std::int32_t *, std::size_t, NearLanes<float> *) { __builtin_trap(); }
void measure_faces(const NearCloth<float> &, const std::int32_t *, std::size_t, NearLanes<float> *) { __builtin_trap(); }
void measure_edges(const NearCloth<double> &, const std::int32_t *, std::size_t, NearLanes<double> *) { __builtin_trap(); }
void measure_faces(const NearCloth<double> &, const std::int32_t *, std::size_t, NearLanes<double> *) { __builtin_trap(); }
}  // namespace avx2
