// Cloth asks the maps of all parts that it can touch and leaves them (§3.1, §3.2, eq. 3), with the response of all our solvers.
struct Part {
    x: vec4f, y: vec4f, z: vec4f, origin: vec4f,
    low: vec4f, high: vec4f,
    map: vec4f,
};
struct Options {
    count: u32, refine: u32, by_depth: u32, parts: u32,
    pixel: f32, reach: f32, silhouette: f32, thickness: f32,
    since: f32, dt: f32, p0: f32, p1: f32,
    travel: vec4f,  // of the body as a whole [m/s]
};
@group(0) @binding(0) var<uniform> options: Options;
@group(0) @binding(1) var<storage, read_write> place: array<vec4f>;     // w: 1 free, 0 pinned
@group(0) @binding(2) var<storage, read_write> velocity: array<vec4f>;  // w: friction
@group(0) @binding(3) var<storage, read> parts: array<Part>;
@group(0) @binding(4) var<storage, read_write> touched: array<u32>;
@group(0) @binding(5) var planes: texture_2d_array<f32>;
@group(0) @binding(6) var motions: texture_2d_array<f32>;

struct Hit { near: bool, gap: f32, normal: vec3f, velocity: vec3f };
const NOTHING = Hit(false, 0.0, vec3f(), vec3f());

// the planes of both sides at the pixel of `at`, asked for the point p
fn sides(k: u32, at: vec3f, p: vec3f) -> Hit {
    let map = parts[k].map;
    let c = (at.x - map.x) / options.pixel;
    let r = (map.y - at.y) / options.pixel;
    if (!(c >= 0.0 && r >= 0.0 && c < map.z && r < map.w)) { return NOTHING; }
    let pixel = vec2i(i32(c), i32(r));
    let front = textureLoad(planes, pixel, 2 * i32(k), 0);
    let back = textureLoad(planes, pixel, 2 * i32(k) + 1, 0);
    let front_motion = textureLoad(motions, pixel, 2 * i32(k), 0);
    let back_motion = textureLoad(motions, pixel, 2 * i32(k) + 1, 0);
    let deep_front = front_motion.w - at.z;
    let deep_back = at.z - back_motion.w;
    if (!(deep_front > -options.reach && deep_back > -options.reach)) { return NOTHING; }
    let gap_front = dot(front.xyz, p) - front.w;
    let gap_back = dot(back.xyz, p) - back.w;
    let sum = front.xyz + back.xyz;
    var hit = Hit(true, gap_back, back.xyz, back_motion.xyz);
    if (deep_front < deep_back) { hit = Hit(true, gap_front, front.xyz, front_motion.xyz); }
    // equally deep on both sides: at the silhouette
    if (abs(deep_front - deep_back) < options.silhouette && dot(sum, sum) > 0.25) {
        hit = Hit(true, 0.5 * (gap_front + gap_back), normalize(sum), 0.5 * (front_motion.xyz + back_motion.xyz));
    }
    if (options.by_depth == 1u) { hit.gap = -min(deep_front, deep_back); }
    return hit;
}

fn ask(k: u32, world: vec3f) -> Hit {
    let d = world - parts[k].origin.xyz;
    let p = vec3f(dot(parts[k].x.xyz, d), dot(parts[k].y.xyz, d), dot(parts[k].z.xyz, d));
    var hit = sides(k, p, p);
    if (hit.near && options.refine == 1u && hit.gap < options.reach) {
        // the first plane tells where about the nearest skin is: ask there, and measure from the plane found there
        let second = sides(k, p - hit.gap * hit.normal, p);
        if (second.near) { hit = second; }
    }
    hit.near = hit.near && hit.gap < options.reach;
    hit.normal = hit.normal.x * parts[k].x.xyz + hit.normal.y * parts[k].y.xyz + hit.normal.z * parts[k].z.xyz;
    return hit;
}

@compute @workgroup_size(64) fn respond(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if (i >= options.count || place[i].w == 0.0) { return; }
    let came = place[i].xyz;
    var x = came;
    var v = velocity[i].xyz;
    for (var k = 0u; k < options.parts; k++) {
        if (touched[k] == 0u) { continue; }
        // the skin has moved on since the maps were drawn: ask where the point would have been then
        let hit = ask(k, came - options.since * options.travel.xyz);
        if (!hit.near) { continue; }
        let gap = hit.gap - dot(hit.normal, hit.velocity - options.travel.xyz) * options.since;
        let depth = options.thickness - (gap + dot(hit.normal, x - came));
        if (depth <= 0.0) { continue; }
        x += depth * hit.normal;
        var relative = v - hit.velocity;
        let impulse = max(-dot(hit.normal, relative), 0.0);
        relative += impulse * hit.normal;
        let slide = relative - dot(hit.normal, relative) * hit.normal;
        let speed = length(slide);
        let share = select(0.0, min(velocity[i].w * impulse, speed) / speed, speed > 0.0);
        v = hit.velocity + relative - share * slide;
        x -= options.dt * share * slide;
    }
    place[i] = vec4f(x, place[i].w);
    velocity[i] = vec4f(v, velocity[i].w);
}

// the contacts themselves, for solvers that answer to them elsewhere: normal and gap, then velocity; a gap of 1e30: none
@group(0) @binding(7) var<storage, read_write> found: array<vec4f>;
@compute @workgroup_size(64) fn find(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if (i >= options.count) { return; }
    for (var k = 0u; k < options.parts; k++) {
        let at = 2u * (i * options.parts + k);
        found[at] = vec4f(0.0, 0.0, 0.0, 1e30);
        if (touched[k] == 0u) { continue; }
        let hit = ask(k, place[i].xyz);
        if (!hit.near) { continue; }
        found[at] = vec4f(hit.normal, hit.gap);
        found[at + 1u] = vec4f(hit.velocity, 0.0);
    }
}
