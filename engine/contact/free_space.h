// Cloth between two skins that press on each other (armpit, crotch, arm on trunk): what room there is is shared out, and the
// planes are tilted towards the mouth of the fold, so that squeezed cloth slips out of it instead of being chased through.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/uniform_or_each.h"

// Planes by particle (begin: particle + 1): normal (plane, 3), offset (plane), both may change. rise: what each plane is to be
// raised by, besides the particle's thickness; added to the offsets here. least: cloth with less room is let out [m].
// point: (particle, 4).
template <class T>
void share_free_space(const T *point, const std::vector<std::uint32_t> &begin, const UniformOrEach<T> &thickness,
               const std::vector<T> &rise, double least, T *normal, T *offset);

extern template void share_free_space(const float *, const std::vector<std::uint32_t> &, const UniformOrEach<float> &,
                               const std::vector<float> &, double, float *, float *);
extern template void share_free_space(const double *, const std::vector<std::uint32_t> &, const UniformOrEach<double> &,
                               const std::vector<double> &, double, double *, double *);
