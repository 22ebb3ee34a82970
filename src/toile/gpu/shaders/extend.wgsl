// What our maps have beyond the paper's: a part that is cut open gets its neighbours' skin as its other side, and silhouettes a rim.
struct Part {
    x: vec4f, y: vec4f, z: vec4f, origin: vec4f,
    low: vec4f, high: vec4f,
    map: vec4f,
};
struct Options { pixel: f32, tolerance: f32, p0: f32, p1: f32 };
@group(0) @binding(0) var<uniform> options: Options;
@group(0) @binding(1) var<storage, read> parts: array<Part>;
@group(0) @binding(2) var<storage, read> touched: array<u32>;
@group(0) @binding(3) var planes: texture_2d_array<f32>;
@group(0) @binding(4) var motions: texture_2d_array<f32>;
@group(0) @binding(5) var behind_planes: texture_2d_array<f32>;
@group(0) @binding(6) var behind_motions: texture_2d_array<f32>;
@group(0) @binding(7) var new_planes: texture_storage_2d_array<rgba32float, write>;
@group(0) @binding(8) var new_motions: texture_storage_2d_array<rgba32float, write>;
// x and y that a pixel of the rim stands for [m]; zero: its own middle
@group(0) @binding(9) var spots: texture_2d_array<f32>;
@group(0) @binding(10) var new_spots: texture_storage_2d_array<rgba32float, write>;

fn seen(motion: vec4f) -> bool { return abs(motion.w) < 1e20; }

// where only one camera sees skin, at the cut to a neighbour, the neighbour's skin is the other side
@compute @workgroup_size(8, 8) fn fill(@builtin(global_invocation_id) id: vec3u) {
    let map = parts[id.z / 2u].map;
    if (touched[id.z / 2u] == 0u || f32(id.x) >= map.z || f32(id.y) >= map.w) { return; }
    let at = vec2i(id.xy);
    let layer = i32(id.z);
    var plane = textureLoad(planes, at, layer, 0);
    var motion = textureLoad(motions, at, layer, 0);
    let other = textureLoad(motions, at, layer ^ 1, 0);
    let found = textureLoad(behind_motions, at, layer, 0);
    let back = (layer & 1) == 1;
    if (!seen(motion) && seen(other) && seen(found) && select(found.w > other.w, found.w < other.w, back)) {
        plane = textureLoad(behind_planes, at, layer, 0);
        motion = found;
    }
    textureStore(new_planes, at, layer, plane);
    textureStore(new_motions, at, layer, motion);
    textureStore(new_spots, at, layer, vec4f());
}

// one layer of pixels round what is seen: the mean of the seen neighbours
@compute @workgroup_size(8, 8) fn grow(@builtin(global_invocation_id) id: vec3u) {
    let part = parts[id.z / 2u];
    if (touched[id.z / 2u] == 0u || f32(id.x) >= part.map.z || f32(id.y) >= part.map.w) { return; }
    let at = vec2i(id.xy);
    let layer = i32(id.z);
    var plane = textureLoad(planes, at, layer, 0);
    var motion = textureLoad(motions, at, layer, 0);
    var spot = textureLoad(spots, at, layer, 0);
    if (!seen(motion)) {
        var count = 0.0;
        var normal = vec3f();
        var mean = vec3f();
        var total = vec4f();
        for (var r = -1; r <= 1; r++) {
            for (var c = -1; c <= 1; c++) {
                let near = at + vec2i(c, r);
                if (any(near < vec2i()) || f32(near.x) >= part.map.z || f32(near.y) >= part.map.w) { continue; }
                let one = textureLoad(motions, near, layer, 0);
                if (!seen(one)) { continue; }
                normal += textureLoad(planes, near, layer, 0).xyz;
                let stood = textureLoad(spots, near, layer, 0);
                let middle = vec4f(part.map.x + (f32(near.x) + 0.5) * options.pixel, part.map.y - (f32(near.y) + 0.5) * options.pixel, 0.0, 1.0);
                mean += select(middle.xyz, stood.xyz, stood.w == 1.0);
                total += one;
                count += 1.0;
            }
        }
        if (count > 0.0) {
            motion = total / count;
            mean = vec3f(mean.xy / count, 0.0);
            spot = vec4f(mean, 1.0);
            mean.z = motion.w + select(-options.tolerance, options.tolerance, (layer & 1) == 1);
            let n = normal / max(length(normal), 1e-12);
            plane = vec4f(n, dot(n, mean) + options.tolerance);
        }
    }
    textureStore(new_planes, at, layer, plane);
    textureStore(new_motions, at, layer, motion);
    textureStore(new_spots, at, layer, spot);
}
