// Candidate sets in two levels and distances from the skeleton (Shi, Mao & Wang 2010, after Mao et al. 2006 and Zhu 2008).
struct Limb {
    x: vec4f, y: vec4f, z: vec4f, origin: vec4f,  // the bone's axes in the world; y runs along it
    low: vec4f, high: vec4f,                      // box that its skin and the reach fill, in the bone's frame
    centre: vec4f, velocity: vec4f, spin: vec4f,  // how the limb moves in the world
    ends: vec4f,                                  // where the skin begins and ends along the bone, group, 0
};
struct Options { blocks: u32, limbs: u32, groups: u32, along: u32, around: u32, radius: f32, p0: u32, p1: u32 };
@group(0) @binding(0) var<uniform> options: Options;
@group(0) @binding(1) var<storage, read> limbs: array<Limb>;
@group(0) @binding(2) var<storage, read> table: array<f32>;      // radius of each limb, place along the bone, angle round it
@group(0) @binding(3) var<storage, read> place: array<vec4f>;    // block after block
@group(0) @binding(4) var<storage, read> start: array<u32>;      // where each block begins, and the end
@group(0) @binding(5) var<storage, read_write> found: array<vec4f>;  // of each particle and group: normal and gap, velocity
@group(0) @binding(6) var<storage, read_write> tested: atomic<u32>;

var<workgroup> lowest: array<vec3f, 64>;
var<workgroup> highest: array<vec3f, 64>;
var<workgroup> near_limbs: u32;

fn to_bone(k: u32, p: vec3f) -> vec3f {
    let d = p - limbs[k].origin.xyz;
    return vec3f(dot(limbs[k].x.xyz, d), dot(limbs[k].y.xyz, d), dot(limbs[k].z.xyz, d));
}

struct Field { radius: f32, by_t: f32, by_angle: f32 };
fn radius_at(k: u32, t: f32, angle: f32) -> Field {
    let low = limbs[k].ends.x;
    let step = (limbs[k].ends.y - low) / f32(options.along - 1u);
    let turn = 6.283185307179586 / f32(options.around);
    let a = clamp((t - low) / step, 0.0, f32(options.along - 1u) - 1e-4);
    let b = (angle - floor(angle / 6.283185307179586) * 6.283185307179586) / turn;
    let f = a - floor(a);
    let g = b - floor(b);
    let row = (k * options.along + u32(a)) * options.around;
    let j = u32(b) % options.around;
    let next = (j + 1u) % options.around;
    let p = table[row + j];
    let q = table[row + next];
    let u = table[row + options.around + j];
    let v = table[row + options.around + next];
    let lower = p + g * (q - p);
    let upper = u + g * (v - u);
    return Field(lower + f * (upper - lower), (upper - lower) / step, ((1.0 - f) * (q - p) + f * (v - u)) / turn);
}

// F = r - R(t, φ) over its own slope: exact to first order
fn gap_of(k: u32, p: vec3f) -> vec4f {
    let r = max(length(p.xz), 1e-9);
    let field = radius_at(k, p.y, atan2(p.x, p.z));
    let across = field.by_angle / max(r, 0.5 * field.radius);
    let slope = vec3f(p.x / r, -field.by_t, p.z / r) - across * vec3f(p.z / r, 0.0, -p.x / r);
    return vec4f(slope / length(slope), (r - field.radius) / length(slope));
}

fn measure(i: u32, mask: u32) {
    let p = place[i].xyz;
    for (var g = 0u; g < options.groups; g++) { found[2u * (i * options.groups + g)] = vec4f(0.0, 0.0, 0.0, 1e30); }
    for (var k = 0u; k < options.limbs; k++) {
        if ((mask & (1u << k)) == 0u) { continue; }
        let own = to_bone(k, p);
        if (any(own < limbs[k].low.xyz) || any(own > limbs[k].high.xyz)) { continue; }
        if (own.y < limbs[k].ends.x || own.y > limbs[k].ends.y) { continue; }
        let hit = gap_of(k, own);
        let at = 2u * (i * options.groups + u32(limbs[k].ends.z));
        // of each group the deepest limb
        if (hit.w >= options.radius || hit.w >= found[at].w) { continue; }
        let n = hit.x * limbs[k].x.xyz + hit.y * limbs[k].y.xyz + hit.z * limbs[k].z.xyz;
        found[at] = vec4f(n, hit.w);
        found[at + 1u] = vec4f(limbs[k].velocity.xyz + cross(limbs[k].spin.xyz, p - hit.w * n - limbs[k].centre.xyz), 0.0);
    }
}

// a workgroup a block: its box against the limbs' boxes, then only its own particles against those limbs
@compute @workgroup_size(64) fn search(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) lane: vec3u) {
    let first = start[group.x];
    let last = start[group.x + 1u];
    var low = vec3f(1e9);
    var high = vec3f(-1e9);
    for (var i = first + lane.x; i < last; i += 64u) {
        low = min(low, place[i].xyz);
        high = max(high, place[i].xyz);
    }
    lowest[lane.x] = low;
    highest[lane.x] = high;
    workgroupBarrier();
    if (lane.x == 0u) {
        for (var i = 1u; i < 64u; i++) {
            low = min(low, lowest[i]);
            high = max(high, highest[i]);
        }
        let half = 0.5 * (high - low);
        near_limbs = 0u;
        for (var k = 0u; k < options.limbs; k++) {
            let at = to_bone(k, 0.5 * (low + high));
            let reach = vec3f(dot(abs(limbs[k].x.xyz), half), dot(abs(limbs[k].y.xyz), half), dot(abs(limbs[k].z.xyz), half));
            if (all(at + reach >= limbs[k].low.xyz) && all(at - reach <= limbs[k].high.xyz)) { near_limbs |= 1u << k; }
        }
        atomicAdd(&tested, (last - first) * countOneBits(near_limbs));
    }
    workgroupBarrier();
    for (var i = first + lane.x; i < last; i += 64u) { measure(i, near_limbs); }
}
