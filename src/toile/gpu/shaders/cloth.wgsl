// Verlet cloth with relaxed lengths (Rodríguez-Navarro, Sainz & Susín 2005), the same for wgpu-py and for browsers.
// A dispatch relaxes links that share no particle: a class of a grid's links, or a colour of the connectivity table.
struct Step {
    count: u32, rows: u32, columns: u32, allowed: u32,
    dt: f32, keep: f32, threshold: f32, first: u32,
    gravity: vec4f, wind: vec4f,
};
struct Links { from_: u32, count: u32, kind: u32, parity: u32, down: i32, right: i32, share: f32, look: u32 };

@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<storage, read_write> place: array<vec4f>;     // w: 1 free, 0 pinned
@group(0) @binding(2) var<storage, read_write> velocity: array<vec4f>;  // w: friction
@group(0) @binding(3) var<storage, read_write> start: array<vec4f>;     // place before the turn
@group(1) @binding(0) var<uniform> links: Links;
@group(1) @binding(1) var<storage, read_write> before: array<vec4f>;    // place before the sweep
@group(1) @binding(2) var<storage, read> table: array<vec4u>;           // two particles, least and largest length
@group(1) @binding(3) var<storage, read> rest: array<f32>;              // grid: length of each link, class after class
// what the device decides by itself: workgroups of the next sweep (zero: it has ended), moving particles, sweeps
struct Control { groups: u32, one_y: u32, one_z: u32, all: u32, moving: atomic<u32>, sweeps: u32 };
@group(2) @binding(0) var<storage, read_write> control: Control;

// eq. 1; what is pinned goes on with its velocity
@compute @workgroup_size(64) fn predict(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if (i >= step.count) { return; }
    let p = place[i];
    let v = velocity[i].xyz;
    start[i] = p;
    let free = step.wind.xyz * step.dt + step.keep * (v - step.wind.xyz) * step.dt + step.gravity.xyz * step.dt * step.dt;
    place[i] = vec4f(p.xyz + select(v * step.dt, free, p.w > 0.0), p.w);
}

// a later turn of relaxation, after contact, goes on from where the cloth is
@compute @workgroup_size(64) fn mark(@builtin(global_invocation_id) id: vec3u) {
    if (id.x < step.count) { start[id.x] = place[id.x]; }
}

// the first turn's way is the velocity; later ones add theirs
@compute @workgroup_size(64) fn settle(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if (i >= step.count || place[i].w == 0.0) { return; }
    let way = (place[i].xyz - start[i].xyz) / step.dt;
    velocity[i] = vec4f(way + select(velocity[i].xyz, vec3f(), step.first == 1u), velocity[i].w);
}

@compute @workgroup_size(1) fn arm() {
    control.groups = control.all;
    control.one_y = 1u;
    control.one_z = 1u;
    atomicStore(&control.moving, 0u);
    if (step.first == 1u) { control.sweeps = 0u; }
}

@compute @workgroup_size(64) fn remember(@builtin(global_invocation_id) id: vec3u) {
    if (id.x < step.count) { before[id.x] = place[id.x]; }
}

// eq. 2: both ends go a part of the error towards each other, or apart
fn relax(i: u32, j: u32, low: f32, high: f32, share: f32) {
    let a = place[i];
    let b = place[j];
    let d = b.xyz - a.xyz;
    let l = max(sqrt(dot(d, d)), 1e-12);
    let s = 2.0 * share * (l - clamp(l, low, high)) / (l * max(a.w + b.w, 1e-12));
    place[i] = vec4f(a.xyz + d * (s * a.w), a.w);
    place[j] = vec4f(b.xyz - d * (s * b.w), b.w);
}

@compute @workgroup_size(64) fn relax_table(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= links.count) { return; }
    let entry = table[links.from_ + id.x];
    relax(entry.x, entry.y, bitcast<f32>(entry.z), bitcast<f32>(entry.w), links.share);
}

@compute @workgroup_size(64) fn relax_grid(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= step.count) { return; }
    let row = id.x / step.columns;
    let column = id.x % step.columns;
    let wide = u32(abs(links.right));
    if (row + u32(links.down) >= step.rows || column + wide >= step.columns) { return; }
    // links of one class that begin in rows (across: columns) of one parity share no particle
    let along = select(row, column, links.down == 0);
    let far = max(u32(links.down), wide);
    if ((along / far) % 2u != links.parity) { return; }
    let upper = row * step.columns + column + select(0u, wide, links.right < 0);
    let lower = (row + u32(links.down)) * step.columns + column + select(wide, 0u, links.right < 0);
    let length = rest[links.kind * step.count + id.x];
    relax(upper, lower, length, length, links.share);
}

// §2, quasi-feedback: particles that the sweep moved by the threshold or more; a sweep that counts nothing ends the relaxation
@compute @workgroup_size(64) fn count_moving(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= step.count || control.groups == 0u) { return; }
    let d = place[id.x].xyz - before[id.x].xyz;
    if (dot(d, d) >= step.threshold * step.threshold) { atomicAdd(&control.moving, 1u); }
}

@compute @workgroup_size(1) fn decide() {
    if (control.groups == 0u) { return; }
    control.sweeps += 1u;
    if (links.look == 1u && atomicLoad(&control.moving) <= step.allowed) { control.groups = 0u; }
    atomicStore(&control.moving, 0u);
}
