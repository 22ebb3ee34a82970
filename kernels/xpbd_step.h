// Extended position-based dynamics with small steps (Macklin et al. 2019): one Gauss–Seidel sweep per substep.
// Included by xpbd_plain.cpp and xpbd_avx2.cpp, which set TOILE_ISA. Raw pointers only: a library template
// instantiated here could be linked into code that runs on older machines.
#include "lanes.h"
#include "pack.h"
#include "pairs_step.h"
#include "xpbd.h"

namespace TOILE_ISA {
namespace {

// seams and limits: C = |xi - xj| - rest, only pulling (one-sided), and at most by a share of the rest length, so that
// cloth caught on the body is not torn through it
template <class T>
void project_pulls(const Constraints<T> &set, std::size_t first, std::size_t last, T *point, T inverse_dt2, T scale, T share, T most) {
    const Lane<T> tiny = splat<T>(T(1e-12)), stiff = splat<T>(inverse_dt2), zero = splat<T>(T(0)), ratio = splat<T>(scale);
    for (std::size_t b = first; b < last; ++b) {
        const std::int32_t *index = set.index + b * 2 * LANES;
        Lanes4<T> i = gather(point, index), j = gather(point, index + LANES);
        const Lane<T> dx = i.x - j.x, dy = i.y - j.y, dz = i.z - j.z;
        const Lane<T> length = at_least<T>(square_root<T>(dx * dx + dy * dy + dz * dz), tiny);
        const Lane<T> rest = load(set.rest + b * LANES);
        const Lane<T> stretch = at_most<T>(at_least<T>(length - rest * ratio, zero), rest * splat<T>(share) + splat<T>(most));
        const Lane<T> sum = i.w + j.w + load(set.compliance + b * LANES) * stiff;
        // Δλ = -C / (Σ w |∇C|² + α / dt²), Δx = w ∇C Δλ
        const Lane<T> s = stretch / (at_least<T>(sum, tiny) * length);
        const Lane<T> si = s * i.w, sj = s * j.w;
        i.x -= dx * si, i.y -= dy * si, i.z -= dz * si;
        j.x += dx * sj, j.y += dy * sj, j.z += dz * sj;
        scatter(point, index, i);
        scatter(point, index + LANES, j);
    }
}

// x += w (a A + b B)
template <class T, class V>
inline void move(Lanes4<T> &x, V a, V b, V ax, V ay, V az, V bx, V by, V bz) {
    x.x += x.w * (a * ax + b * bx), x.y += x.w * (a * ay + b * by), x.z += x.w * (a * az + b * bz);
}

// triangles: the cloth's own threads. With Fu = Σ a_i x_i along the weft and Fv = Σ b_i x_i along the warp,
// the constraints |Fu| - 1, |Fv| - 1 and Fu · Fv have the stiffness (area × N/m) of weft, warp and shear. They are
// projected one after the other; Fu and Fv follow the corrections, so that the points are read and written once.
template <class T>
struct TriangleBlock {
    const std::int32_t *index;
    const T *soft;
    Lanes4<T> p, q, r;
    Lane<T> a0, a1, a2, b0, b1, b2, saa, sbb, sab;
    Lane<T> ux, uy, uz, vx, vy, vz;
    Lane<T> ax, ay, az, bx, by, bz;  // what the weights a and b carry

    inline void read(const Constraints<T> &set, std::size_t b, const T *point) {
        index = set.index + b * 3 * LANES, soft = set.compliance + b * 3 * LANES;
        const T *weight = set.weight + b * 4 * LANES;
        p = gather(point, index), q = gather(point, index + LANES), r = gather(point, index + 2 * LANES);
        a1 = load(weight), a2 = load(weight + LANES), b1 = load(weight + 2 * LANES), b2 = load(weight + 3 * LANES);
        a0 = -(a1 + a2), b0 = -(b1 + b2);
        saa = p.w * a0 * a0 + q.w * a1 * a1 + r.w * a2 * a2;
        sbb = p.w * b0 * b0 + q.w * b1 * b1 + r.w * b2 * b2;
        sab = p.w * a0 * b0 + q.w * a1 * b1 + r.w * a2 * b2;
        const Lane<T> ex = q.x - p.x, ey = q.y - p.y, ez = q.z - p.z, fx = r.x - p.x, fy = r.y - p.y, fz = r.z - p.z;
        ux = a1 * ex + a2 * fx, uy = a1 * ey + a2 * fy, uz = a1 * ez + a2 * fz;
        vx = b1 * ex + b2 * fx, vy = b1 * ey + b2 * fy, vz = b1 * ez + b2 * fz;
    }
    // Δλ = -C / (Σ w a² + α / dt²), along the unit vector of Fu
    inline void weft(const Lane<T> &stiff) {
        const Lane<T> tiny = splat<T>(T(1e-12)), one = splat<T>(T(1));
        const Lane<T> lu = at_least<T>(square_root<T>(ux * ux + uy * uy + uz * uz), tiny);
        const Lane<T> du = (one - lu) / (at_least<T>(saa + load(soft) * stiff, tiny) * lu);
        ax = ux * du, ay = uy * du, az = uz * du;
        ux += ax * saa, uy += ay * saa, uz += az * saa, vx += ax * sab, vy += ay * sab, vz += az * sab;
    }
    inline void warp(const Lane<T> &stiff) {
        const Lane<T> tiny = splat<T>(T(1e-12)), one = splat<T>(T(1));
        const Lane<T> lv = at_least<T>(square_root<T>(vx * vx + vy * vy + vz * vz), tiny);
        const Lane<T> dv = (one - lv) / (at_least<T>(sbb + load(soft + LANES) * stiff, tiny) * lv);
        bx = vx * dv, by = vy * dv, bz = vz * dv;
        ux += bx * sab, uy += by * sab, uz += bz * sab, vx += bx * sbb, vy += by * sbb, vz += bz * sbb;
    }
    inline void shear(const Lane<T> &stiff) {
        const Lane<T> tiny = splat<T>(T(1e-12)), two = splat<T>(T(2));
        const Lane<T> dot = ux * vx + uy * vy + uz * vz;
        const Lane<T> u2 = ux * ux + uy * uy + uz * uz, v2 = vx * vx + vy * vy + vz * vz;
        const Lane<T> ds = -dot / at_least<T>(saa * v2 + two * sab * dot + sbb * u2 + load(soft + 2 * LANES) * stiff, tiny);
        ax += vx * ds, ay += vy * ds, az += vz * ds, bx += ux * ds, by += uy * ds, bz += uz * ds;
    }
    inline void write(T *point) {
        move(p, a0, b0, ax, ay, az, bx, by, bz), scatter(point, index, p);
        move(q, a1, b1, ax, ay, az, bx, by, bz), scatter(point, index + LANES, q);
        move(r, a2, b2, ax, ay, az, bx, by, bz), scatter(point, index + 2 * LANES, r);
    }
};

// two blocks side by side: each waits long for its square roots and quotients
template <class T>
void project_triangles(const Constraints<T> &set, std::size_t first, std::size_t last, T *point, T inverse_dt2) {
    const Lane<T> stiff = splat<T>(inverse_dt2);
    for (std::size_t b = first; b < last; b += 2) {
        TriangleBlock<T> one, two;
        one.read(set, b, point), two.read(set, b + 1, point);
        one.weft(stiff), two.weft(stiff);
        one.warp(stiff), two.warp(stiff);
        one.shear(stiff), two.shear(stiff);
        one.write(point), two.write(point);
    }
}

template <class T, int length>
inline Four<T> row_sum(const T *source, const std::int32_t *at, const T *weight) {
    Four<T> sum = four<T>(weight[0]) * load4(source + at[0]);
    for (int k = 1; k < length; ++k) sum += four<T>(weight[k]) * load4(source + at[k]);
    return sum;
}

template <class T, int length, class Use>
inline void run_rows(const SparseRows<T> &rows, const RowRun &run, const T *source, const Use &use) {
    std::size_t e = run.entry;
    for (std::size_t r = run.first; r < run.last; ++r, e += length)
        use(rows.target[r], row_sum<T, length>(source, rows.at + e, rows.weight + e));
}

// calls use(target, sum) for every row of a chunk
template <class T, class Use>
inline void each_row(const SparseRows<T> &rows, int chunk, const T *source, const Use &use) {
    for (std::size_t k = rows.run_begin[chunk]; k < rows.run_begin[chunk + 1]; ++k) {
        const RowRun &run = rows.run[k];
        switch (run.length) {
            case 4: run_rows<T, 4>(rows, run, source, use); break;
            case 5: run_rows<T, 5>(rows, run, source, use); break;
            case 6: run_rows<T, 6>(rows, run, source, use); break;
            case 7: run_rows<T, 7>(rows, run, source, use); break;
            case 8: run_rows<T, 8>(rows, run, source, use); break;
            case 9: run_rows<T, 9>(rows, run, source, use); break;
            case 10: run_rows<T, 10>(rows, run, source, use); break;
            default:
                for (std::size_t r = run.first, e = run.entry; r < run.last; ++r) {
                    Four<T> sum = four<T>(T(0));
                    for (int n = 0; n < run.length; ++n, ++e) sum += four<T>(rows.weight[e]) * load4(source + rows.at[e]);
                    use(rows.target[r], sum);
                }
        }
    }
}

// curvature vectors of a chunk's stars, times what they weigh; the fourth number of a point must stay as it is
template <class T>
void measure_bending(const Bending<T> &b, int chunk, const T *point) {
    const auto keep = [&](std::int32_t star, Four<T> sum) {
        sum = sum * four<T>(b.gain[star]);
        sum[3] = T(0);
        store4(b.moment + 4 * static_cast<std::size_t>(star), sum);
    };
    if (b.rest == nullptr)
        each_row<T>(b.curvature, chunk, point, keep);
    else
        each_row<T>(b.curvature, chunk, point,
                    [&](std::int32_t star, Four<T> sum) { keep(star, sum - load4(b.rest + 4 * static_cast<std::size_t>(star))); });
}

// v += dt g, air drag implicitly, x += dt v
template <class T>
void predict(const ClothView<T> &cloth, const StepOptions<T> &o, std::size_t first, std::size_t last) {
    const Four<T> dt = four<T>(o.dt), fall = Four<T>{o.gravity[0], o.gravity[1], o.gravity[2], T(0)} * dt;
    const Four<T> wind{o.wind[0], o.wind[1], o.wind[2], T(0)};
    for (std::size_t p = first; p < last; ++p) {
        const Four<T> x = load4(cloth.point + 4 * p);
        Four<T> v = load4(cloth.velocity + 4 * p);
        if (x[3] != T(0)) {  // pinned: keeps the velocity that it was given
            const T drag = o.dt * cloth.drag[p];
            v = (v + fall + four<T>(drag) * wind) * four<T>(T(1) / (T(1) + drag));
        }
        store4(cloth.velocity + 4 * p, v);
        store4(cloth.before + 4 * p, x);
        store4(cloth.point + 4 * p, x + dt * v);
    }
}

// coarse points as averages of the finer points
template <class T>
void average(const LevelView<T> &level, const T *finer, std::size_t first, std::size_t last) {
    for (std::size_t c = first; c < last; ++c) {
        Four<T> sum = four<T>(T(0));
        for (std::size_t k = level.average_begin[c]; k < level.average_begin[c + 1]; ++k)
            sum += four<T>(level.average_weight[k]) * load4(finer + 4 * static_cast<std::size_t>(level.average_point[k]));
        sum[3] = level.point[4 * c + 3];
        store4(level.point + 4 * c, sum);
        store4(level.start + 4 * c, sum);
    }
}

// correction of one finer point by the coarse ones around it
template <class T>
inline Four<T> spread_push(const LevelView<T> &level, std::size_t f) {
    Four<T> sum = four<T>(T(0));
    for (int k = 0; k < 4; ++k) {
        const std::size_t c = 4 * static_cast<std::size_t>(level.spread_point[4 * f + k]);
        sum += four<T>(level.spread_weight[4 * f + k]) * (load4(level.point + c) - load4(level.start + c));
    }
    return sum;
}

// corrections of the coarse points carried to the finer ones
template <class T>
void spread(const LevelView<T> &level, T *finer, std::size_t first, std::size_t last) {
    for (std::size_t f = first; f < last; ++f) {
        const Four<T> to = load4(finer + 4 * f);
        if (to[3] != T(0)) store4(finer + 4 * f, to + spread_push(level, f));
    }
}

// coarse limits, if they were measured, and bending, both at the predicted points, move the particles
template <class T>
void carry(const ClothView<T> &cloth, int chunk, bool limited) {
    each_row<T>(cloth.bending.force, chunk, cloth.bending.moment, [&](std::int32_t p, const Four<T> &moment) {
        T *to = cloth.point + 4 * static_cast<std::size_t>(p);
        const Four<T> x = load4(to);
        if (x[3] == T(0)) return;
        Four<T> push = four<T>(-x[3]) * moment;
        if (limited) push += spread_push(cloth.level[0], p);
        store4(to, x + push);
    });
}

// tension needs many substeps to grow: limits in every second one hold as well (hanging 128²: 99 % stretch 1.1 → 1.3 %)
constexpr int LIMIT_EVERY = 2;
constexpr std::size_t SERIAL_LEVEL = 400;  // levels of fewer points are left to one thread: waiting costs more

// the limits of one level, after the coarser ones: the groups of constraints as in project_triangles
template <class T>
void limit_level(const ClothView<T> &cloth, const StepOptions<T> &o, int l, int rank, int size, Barrier &barrier) {
    const LevelView<T> &level = cloth.level[l];
    const auto &set = level.limits;
    const int chunks = level.chunk_count;
    const auto limit = [&](int g) {
        project_pulls<T>(set, set.begin[g], set.begin[g + 1], level.point, T(0), T(1), o.limit_share, T(0));
    };
    for (int c = rank; c < chunks; c += size) {
        if (l + 1 < cloth.level_count)
            spread(cloth.level[l + 1], level.point, level.count * c / chunks, level.count * (c + 1) / chunks);
        limit(c);
    }
    barrier.wait();
    for (int c = rank; c < chunks; c += size) limit(chunks + c);
    barrier.wait();
    if (rank == 0) limit(2 * chunks);
    barrier.wait();
}

// one pass of distance limits from coarse to fine; every particle is predicted before, corrected after
template <class T>
void limit_levels(const ClothView<T> &cloth, const StepOptions<T> &o, int rank, int size, Barrier &barrier) {
    const auto finer = [&](int l) { return l ? cloth.level[l - 1].point : cloth.point; };
    int shared = 0;
    while (shared < cloth.level_count && cloth.level[shared].count >= SERIAL_LEVEL) ++shared;
    for (int l = 0; l < shared; ++l) {
        const Share mine = share(cloth.level[l].count, rank, size);
        average(cloth.level[l], finer(l), mine.begin, mine.end);
        barrier.wait();
    }
    if (rank == 0) {
        Barrier alone(1);
        for (int l = shared; l < cloth.level_count; ++l) average(cloth.level[l], finer(l), 0, cloth.level[l].count);
        for (int l = cloth.level_count - 1; l >= shared; --l) limit_level(cloth, o, l, 0, 1, alone);
    }
    barrier.wait();
    for (int l = shared - 1; l >= 0; --l) limit_level(cloth, o, l, rank, size, barrier);
}

// one contact plane: push out along the normal, Coulomb friction on the motion relative to the skin
template <class T>
void respond(T *x, T *old, const T *n, T offset, const T *skin, T time, T dt, T thickness, T mu, T push_limit) {
    const T speed = n[0] * skin[0] + n[1] * skin[1] + n[2] * skin[2];
    const T wall = offset + thickness + speed * time;  // at the end of this substep
    const T depth = wall - (n[0] * x[0] + n[1] * x[1] + n[2] * x[2]);
    if (depth <= T(0)) return;
    const T push = depth < push_limit ? depth : push_limit;
    // the part of the depth that was there before is mended without giving speed
    T late = wall - speed * dt - (n[0] * old[0] + n[1] * old[1] + n[2] * old[2]);
    late = late < T(0) ? T(0) : (late < push ? late : push);
    T slip[3], slip_n = T(0);
    for (int a = 0; a < 3; ++a) {
        x[a] += n[a] * push;
        old[a] += n[a] * late;
        slip[a] = x[a] - old[a] - skin[a] * dt;
        slip_n += slip[a] * n[a];
    }
    T length2 = T(0);
    for (int a = 0; a < 3; ++a) {
        slip[a] -= n[a] * slip_n;
        length2 += slip[a] * slip[a];
    }
    const T grip = mu * push;
    const T share = length2 <= grip * grip ? T(1) : grip / std::sqrt(length2);
    for (int a = 0; a < 3; ++a) x[a] -= slip[a] * share;
}

template <class T>
void finish(const ClothView<T> &cloth, const StepOptions<T> &o, T time, std::size_t first, std::size_t last) {
    const Four<T> inverse_dt = four<T>(T(1) / o.dt);
    for (std::size_t p = first; p < last; ++p) {
        T *x = cloth.point + 4 * p, *old = cloth.before + 4 * p;
        if (x[3] == T(0)) continue;
        if (cloth.pairs.block_count) apply_pairs(cloth.pairs, p, x, old);
        for (std::size_t c = cloth.contact_begin[p]; c < cloth.contact_begin[p + 1]; ++c)
            respond(x, old, cloth.contact_normal + 3 * c, cloth.contact_offset[c], cloth.contact_velocity + 3 * c, time,
                    o.dt, cloth.thickness[p], cloth.friction[p], o.push_limit);
        Four<T> v = (load4(x) - load4(old)) * inverse_dt;
        const Four<T> square = v * v;
        const T speed2 = square[0] + square[1] + square[2];
        if (speed2 > o.speed_limit * o.speed_limit) v = v * four<T>(o.speed_limit / std::sqrt(speed2));
        store4(cloth.velocity + 4 * p, v);
    }
}

// One substep: predict | coarse limits, curvatures | carry both to the particles, triangles chunk by chunk | borders |
// left over, seams | cloth against cloth | skin, velocities. A bar is a barrier.
template <class T>
void run(const ClothView<T> &cloth, const StepOptions<T> &o, int rank, int size, Barrier &barrier) {
    const T inverse_dt2 = T(1) / (o.dt * o.dt);
    const std::size_t n = cloth.particle_count;
    const int chunks = cloth.chunk_count;
    const auto begin = [&](int c) { return n * c / chunks; };
    const auto project = [&](int g) {
        const auto &t = cloth.triangles;
        project_triangles<T>(t, t.begin[g], t.begin[g + 1], cloth.point, inverse_dt2);
    };
    for (int s = 0; s < o.substep_count; ++s) {
        for (int c = rank; c < chunks; c += size) predict(cloth, o, begin(c), begin(c + 1));
        barrier.wait();
        for (int c = rank; c < chunks; c += size) measure_bending(cloth.bending, c, cloth.point);
        const bool limited = cloth.level_count && s % LIMIT_EVERY == 0;
        if (limited) limit_levels(cloth, o, rank, size, barrier);
        else barrier.wait();
        for (int c = rank; c < chunks; c += size) {
            carry(cloth, c, limited);
            project(c);
        }
        barrier.wait();
        for (int c = rank; c < chunks; c += size) project(chunks + c);
        barrier.wait();
        if (rank == 0) {
            project(2 * chunks);
            const T closing = o.seam_from + (o.seam_to - o.seam_from) * T(s + 1) / T(o.substep_count);
            const auto &seams = cloth.seams;
            project_pulls<T>(seams, 0, seams.begin[group_count(chunks)], cloth.point, inverse_dt2, closing, T(0), T(1e9));
        }
        barrier.wait();
        if (cloth.pairs.block_count) {
            const Share mine = share(cloth.pairs.block_count, rank, size);
            measure_pairs(cloth.pairs, cloth.point, cloth.before, o.push_limit, mine.begin, mine.end);
            barrier.wait();
        }
        for (int c = rank; c < chunks; c += size) finish(cloth, o, o.dt * T(s + 1), begin(c), begin(c + 1));
    }
}
}  // namespace

void step(const ClothView<float> &c, const StepOptions<float> &o, int rank, int size, Barrier &b) { run(c, o, rank, size, b); }
void step(const ClothView<double> &c, const StepOptions<double> &o, int rank, int size, Barrier &b) { run(c, o, rank, size, b); }
}  // namespace TOILE_ISA
