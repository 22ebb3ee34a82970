// Extended position-based dynamics with small steps (Macklin et al. 2019): one Gauss–Seidel sweep per substep.
// Included by xpbd_plain.cpp, xpbd_avx2.cpp and xpbd_avx512.cpp, which set TOILE_ISA. Raw pointers only: a library template
// instantiated here could be linked into code that runs on older machines.
#include "cloth/constraints_step.h"
#include "core/lanes.h"
#include "contact/pairs_step.h"
#include "cloth/bending_step.h"
#include "core/wide.h"
#include "cloth/xpbd.h"

namespace TOILE_ISA {
namespace {

// What is the same for all particles when a substep begins.
template <class T>
struct Air {
    Wide<T> dt, fall, wind, rubbed, head_start;
    explicit Air(const StepOptions<T> &o) : dt(wide<T>(o.dt)), fall(same_vector(o.gravity) * dt), wind(same_vector(o.wind)), rubbed(wide<T>(o.rubbed)) {
        const T share[3] = {o.head_start, o.head_start, o.head_start};
        head_start = same_vector(share);
    }
};

// where the particles are kept, see ClothView
template <class T>
struct Particles {
    T *point, *before, *velocity;
    T *lost;  // of the way in a substep when it was rounded; kept where moments were, which are used up
    const T *kept;
    std::size_t kept_stride;
    template <class I>
    explicit Particles(const ClothView<T, I> &c)
        : point(c.point), before(c.before), velocity(c.velocity), lost(c.bending.moment), kept(c.kept), kept_stride(c.kept_stride) {}
};

// v += dt g, air drag d and rubbing r implicitly, v ← (v + dt d wind) / (1 + dt (d + r)), x += dt v. Tension changes little from one substep to the next, so the prediction begins
// with a share of what the constraints asked for in the last one: they then have that much less to do. Pinned particles keep
// the velocity that they were given.
template <class T>
TOILE_INLINE void predict(const Particles<T> &at, const Air<T> &air, std::size_t p, const Wide<T> &x, Wide<T> v, const Wide<T> &asked) {
    const Wide<T> w = all_four<3, T>(x), kept = each_four_times(at.kept + p * at.kept_stride);
    v = choose(w, (v + air.fall) * kept + air.wind * (wide<T>(T(1)) - kept * air.rubbed), v);
    const Wide<T> ahead = choose(w, air.head_start * asked, wide<T>(T(0)));
    wide_store<T>(at.before + 4 * p, x);
    wide_store<T>(at.velocity + 4 * p, v);
    wide_store<T>(at.point + 4 * p, x + air.dt * v + ahead);
}

// coarse points as averages of the finer points
template <class T, class I>
void average(const LevelView<T, I> &level, const T *finer, std::size_t first, std::size_t last) {
    for (std::size_t c = first; c < last; ++c) {
        Four<T> sum = four<T>(T(0));
        for (std::int32_t k = level.average_begin[c]; k < level.average_begin[c + 1]; ++k)
            sum += four<T>(level.average_weight[k]) * load4(finer + 4 * static_cast<std::size_t>(level.average_point[k]));
        sum[3] = level.point[4 * c + 3];
        store4(level.point + 4 * c, sum);
        store4(level.start + 4 * c, sum);
    }
}

// how finer points follow the coarse ones round them
template <class T, class I>
struct Following {
    const T *point, *start, *weight;
    const CoarseNumber *coarse;
    explicit Following(const LevelView<T, I> &level)
        : point(level.point), start(level.start), weight(level.spread_weight), coarse(level.spread_point) {}
    // correction of one of them; move(c): that of the coarse point whose numbers begin at c
    template <class Move>
    TOILE_INLINE Four<T> sum(std::size_t finer, const Move &move) const {
        Four<T> sum = four<T>(T(0));
        for (std::size_t k = 4 * finer; k < 4 * finer + 4; ++k) sum += four<T>(weight[k]) * move(4 * static_cast<std::size_t>(coarse[k]));
        return sum;
    }
    TOILE_INLINE Four<T> push(std::size_t finer) const {
        return sum(finer, [this](std::size_t c) TOILE_HERE { return load4(point + c) - load4(start + c); });
    }
    // after keep_moves
    TOILE_INLINE Four<T> kept_push(std::size_t finer) const {
        return sum(finer, [this](std::size_t c) TOILE_HERE { return load4(start + c); });
    }
};
// How far coarse points were moved, where their averages were: nine finer points ask for it, four times each.
template <class T, class I>
void keep_moves(const LevelView<T, I> &level, std::size_t first, std::size_t last) {
    for (std::size_t c = first; c < last; ++c) store4(level.start + 4 * c, load4(level.point + 4 * c) - load4(level.start + 4 * c));
}

// corrections of the coarse points carried to the finer ones
template <class T, class I>
void spread(const LevelView<T, I> &level, T *finer, std::size_t first, std::size_t last) {
    const Following<T, I> following(level);
    for (std::size_t f = first; f < last; ++f) {
        const Four<T> to = load4(finer + 4 * f);
        if (to[3] != T(0)) store4(finer + 4 * f, to + following.push(f));
    }
}

// coarse limits and bending, both measured at the predicted points, move the particles
template <class T, class I>
void carry(const ClothView<T, I> &cloth, int chunk) {
    T *const point = cloth.point;
    const auto rows = cloth.bending.force;
    const auto move = [=](std::size_t p, const Four<T> &moment, const auto &more) TOILE_HERE {
        T *to = point + 4 * p;
        const Four<T> x = load4(to);
        if (x[3] != T(0)) store4(to, x + more(four<T>(-x[3]) * moment));
    };
    if (!cloth.level_count)
        return each_row<T>(rows, chunk, cloth.bending.moment, [=](std::size_t p, const Four<T> &moment) TOILE_HERE {
            move(p, moment, [](const Four<T> &push) { return push; });
        });
    const Following<T, I> following(cloth.level[0]);
    each_row<T>(rows, chunk, cloth.bending.moment, [=](std::size_t p, const Four<T> &moment) TOILE_HERE {
        move(p, moment, [=](const Four<T> &push) TOILE_HERE { return push + following.kept_push(p); });
    });
}

constexpr std::size_t SERIAL_LEVEL = 400;  // levels of fewer points are averaged by one thread: waiting costs more

// What a thread does of a stage: its own chunks, which are next to each other so that particles stay in its cache, then those that others have not begun.
// Chunks do not touch each other, so it does not matter who does them.
struct TeamStep {
    int rank, size, substep;
    Barrier &barrier;
    enum Stage { BENDING, CHUNKS, BORDERS, SMOOTHING };
    template <class Use>
    inline void each(Stage stage, std::size_t count, const Use &use) const {
        const Share mine = share(count, rank, size);
        const auto take = [&](std::size_t c) {
            if (size == 1 || barrier.claims[stage].take(c, substep)) use(c);
        };
        for (std::size_t c = mine.begin; c < mine.end; ++c) take(c);
        for (std::size_t c = mine.begin; c-- > 0;) take(c);
        for (std::size_t c = mine.end; c < count; ++c) take(c);
    }
};

// whether groups first .. last - 1 have a constraint
template <class T>
inline bool any_of(const Constraints<T> &set, int first, int last) {
    return set.group && set.group[first].first < set.group[last - 1].last;
}

// the limits of one level, after the coarser ones: the groups of constraints as in sweep_chunks
template <class T, class I>
void limit_level(const ClothView<T, I> &cloth, const StepOptions<T> &o, int l, int rank, int size, Barrier &barrier) {
    const LevelView<T, I> &level = cloth.level[l];
    const auto &set = level.limits;
    const int chunks = level.chunk_count;
    const Share mine = share(chunks, rank, size);
    const auto limit = [&](std::size_t g) {
        project_pulls<T>(set, g, level.point, T(1), o.pulls, T(1));
    };
    for (int sweep = 0; sweep < (l ? 1 : FINEST_SWEEPS); ++sweep) {
        for (std::size_t c = mine.begin; c < mine.end; ++c) {
            if (!sweep && l + 1 < cloth.level_count)
                spread(cloth.level[l + 1], level.point, level.count * c / chunks, level.count * (c + 1) / chunks);
            limit(c);
        }
        barrier.wait();
        if (any_of(set, chunks, 2 * chunks)) {
            for (std::size_t c = mine.begin; c < mine.end; ++c) limit(chunks + c);
            barrier.wait();
        }
        if (any_of(set, 2 * chunks, 2 * chunks + 1)) {
            if (rank == 0) limit(2 * chunks);
            barrier.wait();
        }
    }
}

// One pass of distance limits from coarse to fine, and the curvatures; every particle is predicted before, corrected after. Levels of
// one chunk are left to one thread, while the others measure bending.
template <class T, class I>
void limit_and_bend(const ClothView<T, I> &cloth, const StepOptions<T> &o, const TeamStep &team) {
    const auto finer = [&](int l) { return l ? cloth.level[l - 1].point : cloth.point; };
    int averaged = 0, shared = 0;
    for (; averaged < cloth.level_count && cloth.level[averaged].count >= SERIAL_LEVEL; ++averaged) {
        const Share mine = share(cloth.level[averaged].count, team.rank, team.size);
        average(cloth.level[averaged], finer(averaged), mine.begin, mine.end);
        team.barrier.wait();
    }
    while (shared < cloth.level_count && cloth.level[shared].chunk_count > 1) ++shared;
    if (team.rank == 0) {
        Barrier alone(1);
        for (int l = averaged; l < cloth.level_count; ++l) average(cloth.level[l], finer(l), 0, cloth.level[l].count);
        for (int l = cloth.level_count - 1; l >= shared; --l) limit_level(cloth, o, l, 0, 1, alone);
        if (cloth.level_count && !shared) keep_moves(cloth.level[0], 0, cloth.level[0].count);
    }
    const T dt2 = o.asked_dt2(team.substep == 0);
    const bool smooth = cloth.bending.smoothing.wanted(dt2);
    team.each(TeamStep::BENDING, cloth.chunk_count, [&](std::size_t c) {
        if (smooth) measure_smooth(cloth.bending, static_cast<int>(c), cloth.point, dt2);
        else measure_bending(cloth.bending, static_cast<int>(c), cloth.point, dt2);
    });
    team.barrier.wait();
    if (smooth) {
        team.each(TeamStep::SMOOTHING, cloth.chunk_count, [&](std::size_t c) { smooth_bending(cloth.bending, static_cast<int>(c), cloth.chunk_count, dt2); });
        team.barrier.wait();
    }
    if (!shared) return;
    for (int l = shared - 1; l >= 0; --l) limit_level(cloth, o, l, team.rank, team.size, team.barrier);
    const Share mine = share(cloth.level[0].count, team.rank, team.size);
    keep_moves(cloth.level[0], mine.begin, mine.end);
    team.barrier.wait();
}

// Eight contact planes: push out along the normal, Coulomb friction on the motion relative to the skin. `time` is that of
// the end of this substep since the planes were found.
template <class T>
inline void respond(const ContactView<T> &contacts, std::size_t b, T *point, T *before, T *lost, T time, const StepOptions<T> &o) {
    const std::int32_t *index = contacts.particle + b * LANES;
    const auto row = [&](int k) { return load(contacts.plane + (b * CONTACT_ROWS + k) * LANES); };
    const Lane<T> nx = row(0), ny = row(1), nz = row(2), speed = row(4), zero = splat<T>(T(0)), dt = splat<T>(o.dt);
    const Lane<T> wall = row(3) + speed * splat<T>(time);
    Lanes4<T> x = gather(point, index);
    const Lane<T> depth = wall - (nx * x.x + ny * x.y + nz * x.z);
    if (!any_greater(depth, zero)) return;
    Lanes4<T> old = gather(before, index), more = gather(lost, index);
    // pinned particles stay
    Lane<T> push = where_positive(x.w, at_most(at_least(depth, zero), splat<T>(o.push_limit)));
    // the part of the depth that was there before is mended without giving speed, by and by
    const Lane<T> was = wall - speed * dt - (nx * old.x + ny * old.y + nz * old.z);
    const Lane<T> too_near = at_most(at_least(was, zero), push), late = at_most(too_near, splat<T>(T(OUT_OF_SKIN) * o.dt));
    push -= too_near - late;
    // the slip along the skin, which no push changes
    Lane<T> sx = x.x - old.x + (more.x - row(5) * dt), sy = x.y - old.y + (more.y - row(6) * dt), sz = x.z - old.z + (more.z - row(7) * dt);
    const Lane<T> along = sx * nx + sy * ny + sz * nz;
    sx -= nx * along, sy -= ny * along, sz -= nz * along;
    // all of it while the skin grips, else friction times the push of it
    const Lane<T> grip = row(8) * push, slip = at_least(square_root(sx * sx + sy * sy + sz * sz), splat<T>(T(1e-12)));
    const Lane<T> share = where_positive(push, at_most(grip / slip, splat<T>(T(1))));
    add_rounded(x.x, nx * push - sx * share, more.x), add_rounded(x.y, ny * push - sy * share, more.y), add_rounded(x.z, nz * push - sz * share, more.z);
    old.x += nx * late, old.y += ny * late, old.z += nz * late;
    scatter(point, index, x), scatter(before, index, old), scatter(lost, index, more);
}

// of each particle's vector, four times
template <class T>
TOILE_INLINE Wide<T> length2(const Wide<T> &v) {
    const Wide<T> square = v * v;
    return all_four<0, T>(square) + all_four<1, T>(square) + all_four<2, T>(square);
}

// the new velocity; pinned particles keep theirs
template <class T>
TOILE_INLINE Wide<T> new_velocity(const Particles<T> &at, const StepOptions<T> &o, const Wide<T> &inverse_dt, std::size_t p, const Wide<T> &x) {
    Wide<T> v = (x - wide_load(at.before + 4 * p) + wide_load(at.lost + 4 * p)) * inverse_dt;
    const Wide<T> given = wide_load(at.velocity + 4 * p);
    if (o.gentle()) {
        const Wide<T> jolt = wide<T>(o.jolt), by = v - given, change2 = length2<T>(by), over = change2 - jolt * jolt;
        if (any_greater(over, wide<T>(T(0)))) v = choose(over, given + by * (jolt / square_root(change2)), v);
    }
    const Wide<T> fastest = wide<T>(o.speed_limit), most = fastest * fastest, speed2 = length2<T>(v);
    if (any_greater(speed2, most)) v = choose(speed2 - most, v * (fastest / square_root(speed2)), v);
    const Wide<T> w = all_four<3, T>(x), least = wide<T>(T(1e-30));
    return any_greater(least, w) ? choose(w, v, given) : v;
}

// the end of a substep for one span of particles, and the beginning of the next
template <class T, class I>
void finish_span(const ClothView<T, I> &cloth, const StepOptions<T> &o, const Air<T> &air, std::size_t span, T time, bool last) {
    const Particles<T> at(cloth);
    const std::size_t begin = span * CONTACT_SPAN, past = begin + CONTACT_SPAN;
    const std::size_t end = past < cloth.particle_count ? past : cloth.particle_count;
    const Wide<T> inverse_dt = wide<T>(T(1) / o.dt);
    // what the constraints asked for, then cloth against cloth
    Wide<T> asked[CONTACT_SPAN / SIDE_BY_SIDE<T>];
    for (std::size_t p = begin; p < end; p += SIDE_BY_SIDE<T>) {
        const Wide<T> x = wide_load(at.point + 4 * p), old = wide_load(at.before + 4 * p), free_step = air.dt * wide_load(at.velocity + 4 * p), free = old + free_step;
        asked[(p - begin) / SIDE_BY_SIDE<T>] = x - free;
        wide_store<T>(at.lost + 4 * p, free_step - (free - old));
    }
    if (cloth.pairs.block_count)
        for (std::size_t p = begin; p < end; ++p)
            if (at.point[4 * p + 3] != T(0)) apply_pairs(cloth.pairs, p, at.point + 4 * p, at.before + 4 * p);
    for (std::size_t b = cloth.contacts.begin[span]; b < cloth.contacts.begin[span + 1]; ++b)
        respond(cloth.contacts, b, at.point, at.before, at.lost, time, o);
    for (std::size_t p = begin; p < end; p += SIDE_BY_SIDE<T>) {
        const Wide<T> x = wide_load(at.point + 4 * p), v = new_velocity(at, o, inverse_dt, p, x);
        if (last) wide_store<T>(at.velocity + 4 * p, v);
        else predict(at, air, p, x, v, asked[(p - begin) / SIDE_BY_SIDE<T>]);
    }
}

// what limits and bending ask for, long threads, triangles: chunk by chunk | borders | what is left over, seams
template <class T, class I>
void sweep_chunks(const ClothView<T, I> &cloth, const StepOptions<T> &o, T inverse_dt2, T closing, const TeamStep &team) {
    const int chunks = cloth.chunk_count, last = 2 * chunks;
    const auto &long_threads = cloth.long_threads, &triangles = cloth.triangles, &seams = cloth.seams;
    const auto project = [&](std::size_t g) {
        if (long_threads.group) project_pulls<T>(long_threads, g, cloth.point, T(1), o.pulls, o.thread_part);
        project_triangles<T>(triangles, g, cloth.point, inverse_dt2, o.compression);
    };
    team.each(TeamStep::CHUNKS, chunks, [&](std::size_t c) { carry(cloth, static_cast<int>(c)), project(c); });
    team.barrier.wait();
    team.each(TeamStep::BORDERS, chunks, [&](std::size_t c) { project(chunks + c); });
    team.barrier.wait();
    if (!any_of(long_threads, last, last + 1) && !any_of(triangles, last, last + 1) && !any_of(seams, 0, last + 1)) return;
    if (team.rank == 0) {
        project(last);
        for (int g = 0; g <= last; ++g) project_pulls<T>(seams, g, cloth.point, closing, {T(1), T(0)}, T(1));
    }
    team.barrier.wait();
}

// Particles are moved along their threads (StepOptions::evening), velocities stay. By how much is added up where moments were, which are used up.
template <class T, class I, class EachSpan>
void even_out(const ClothView<T, I> &cloth, const StepOptions<T> &o, const Share &chunks, const EachSpan &each_particles, int rank, Barrier &barrier) {
    const auto &triangles = cloth.triangles;
    T *const shift = cloth.bending.moment;
    const auto even = [&](std::size_t g) { even_triangles<T>(triangles, g, cloth.point, shift, o.evening, o.compression); };
    each_particles([&](std::size_t p) { wide_store<T>(shift + 4 * p, wide<T>(T(0))); });
    barrier.wait();
    for (std::size_t c = chunks.begin; c < chunks.end; ++c) even(c);
    barrier.wait();
    for (std::size_t c = chunks.begin; c < chunks.end; ++c) even(cloth.chunk_count + c);
    barrier.wait();
    if (rank == 0) even(2 * cloth.chunk_count);
    barrier.wait();
    each_particles([&](std::size_t p) {
        const Wide<T> by = wide_load(shift + 4 * p);
        for (T *at : {cloth.point, cloth.before}) wide_store<T>(at + 4 * p, wide_load(at + 4 * p) + by);
    });
    barrier.wait();
}

}  // namespace
}  // namespace TOILE_ISA
#include "cloth/grid_run.h"
namespace TOILE_ISA {
namespace {

// One substep: predict | coarse limits, curvatures | carry both to the particles | threads, triangles, seams | cloth against cloth |
// skin, velocities, and the next substep's prediction. A bar is a barrier.
template <class T, class I>
void run(const ClothView<T, I> &cloth, const StepOptions<T> &o, int rank, int size, Barrier &barrier) {
    if (cloth.grid.fine.rows) return GridRun<T, I>(cloth, o, rank, size, barrier).run();
    const Air<T> air(o);
    const Particles<T> at(cloth);
    const std::size_t n = cloth.particle_count;
    const Share spans = share((n + CONTACT_SPAN - 1) / CONTACT_SPAN, rank, size);
    const auto each_span = [&](const auto &use) {
        for (std::size_t k = spans.begin; k < spans.end; ++k) use(k);
    };
    const auto each_particles = [&](const auto &use) {
        each_span([&](std::size_t k) {
            for (std::size_t p = k * CONTACT_SPAN; p < n && p < (k + 1) * CONTACT_SPAN; p += SIDE_BY_SIDE<T>) use(p);
        });
    };
    // nothing is remembered from the last contact update: a resumed run must go on as if it had not stopped
    each_particles([&](std::size_t p) { predict(at, air, p, wide_load(at.point + 4 * p), wide_load(at.velocity + 4 * p), wide<T>(T(0))); });
    for (int s = 0; s < o.substep_count; ++s) {
        const TeamStep team{rank, size, s, barrier};
        barrier.wait();
        limit_and_bend(cloth, o, team);
        const T closing = o.seam_from + (o.seam_to - o.seam_from) * T(s + 1) / T(o.substep_count);
        sweep_chunks(cloth, o, T(1) / o.asked_dt2(s == 0), closing, team);
        const bool last = s + 1 == o.substep_count;
        if (last && o.evening > T(0)) even_out(cloth, o, share(cloth.chunk_count, rank, size), each_particles, rank, barrier);
        if (cloth.pairs.block_count) {
            const Share mine = share(cloth.pairs.block_count, rank, size);
            measure_pairs(cloth.pairs, cloth.point, cloth.before, o, mine.begin, mine.end);
            barrier.wait();
        }
        const T time = o.dt * T(s + 1);
        each_span([&](std::size_t k) { finish_span(cloth, o, air, k, time, last); });
    }
}
}  // namespace

#define TOILE_RUN(T, I) \
    void step(const ClothView<T, I> &c, const StepOptions<T> &o, int rank, int size, Barrier &b) { run(c, o, rank, size, b); }
TOILE_RUN(float, std::uint16_t)
TOILE_RUN(float, std::int32_t)
TOILE_RUN(double, std::int32_t)
#undef TOILE_RUN
}  // namespace TOILE_ISA
