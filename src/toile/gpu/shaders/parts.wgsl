// Which parts the cloth can touch, by oriented boxes, and the maps' windows: decided on the device, nothing is read back.
struct Part {
    x: vec4f, y: vec4f, z: vec4f, origin: vec4f,
    low: vec4f, high: vec4f,
    map: vec4f,
};
struct Options {
    count: u32, every: u32, cull: u32, stride: u32,
    pixel: f32, reach: f32, margin: f32, size: f32,
    shift: vec4f,  // of the cloth since the skin was posed [m]
};
struct Range { first: u32, count: u32, index_first: u32, index_count: u32, behind_first: u32, behind_count: u32 };
struct Draw { index_count: u32, instances: u32, first_index: u32, base_vertex: i32, first_instance: u32 };

@group(0) @binding(0) var<uniform> options: Options;
@group(0) @binding(1) var<storage, read_write> parts: array<Part>;
@group(0) @binding(2) var<storage, read> skin: array<f32>;        // place, normal, velocity of each vertex
@group(0) @binding(3) var<storage, read> vertex: array<u32>;      // of the parts, one after the other
@group(0) @binding(4) var<storage, read> ranges: array<Range>;
@group(0) @binding(5) var<storage, read_write> touched: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> draws: array<Draw>;
@group(0) @binding(7) var<storage, read> cloth: array<vec4f>;

var<workgroup> lowest: array<vec3f, 64>;
var<workgroup> highest: array<vec3f, 64>;

// a workgroup a part: the box of its skin, and where its map lies
@compute @workgroup_size(64) fn bound(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) lane: vec3u) {
    let k = group.x;
    let own = ranges[k];
    let x = parts[k].x.xyz;
    let y = parts[k].y.xyz;
    let z = parts[k].z.xyz;
    let o = parts[k].origin.xyz;
    var low = vec3f(1e9);
    var high = vec3f(-1e9);
    for (var i = lane.x; i < own.count; i += 64u) {
        let at = options.stride * vertex[own.first + i];
        let d = vec3f(skin[at], skin[at + 1u], skin[at + 2u]) - o;
        let p = vec3f(dot(x, d), dot(y, d), dot(z, d));
        low = min(low, p);
        high = max(high, p);
    }
    lowest[lane.x] = low;
    highest[lane.x] = high;
    workgroupBarrier();
    if (lane.x != 0u) { return; }
    for (var i = 1u; i < 64u; i++) {
        low = min(low, lowest[i]);
        high = max(high, highest[i]);
    }
    // a part larger than the texture is cut off there
    let sides = min(ceil((high.xy - low.xy + 2.0 * options.margin) / options.pixel), vec2f(options.size));
    let middle = 0.5 * (low.xy + high.xy);
    parts[k].low = vec4f(low, 0.0);
    parts[k].high = vec4f(high, 0.0);
    parts[k].map = vec4f(middle.x - 0.5 * sides.x * options.pixel, middle.y + 0.5 * sides.y * options.pixel, sides);
    atomicStore(&touched[k], select(1u, 0u, options.cull == 1u));
}

// §3.1: parts whose oriented box holds one of the cloth's points (of every n-th)
@compute @workgroup_size(64) fn cull(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x * options.every;
    if (i >= options.count) { return; }
    for (var k = 0u; k < arrayLength(&ranges); k++) {
        let d = cloth[i].xyz - options.shift.xyz - parts[k].origin.xyz;
        let p = vec3f(dot(parts[k].x.xyz, d), dot(parts[k].y.xyz, d), dot(parts[k].z.xyz, d));
        if (all(p > parts[k].low.xyz - options.reach) && all(p < parts[k].high.xyz + options.reach)) { atomicStore(&touched[k], 1u); }
    }
}

// only touched parts are drawn: the others get no triangles. First what each part shows, then what its neighbours show behind it
@compute @workgroup_size(64) fn choose(@builtin(global_invocation_id) id: vec3u) {
    let k = id.x;
    let parts_count = arrayLength(&ranges);
    if (k >= 4u * parts_count) { return; }
    let own = ranges[(k / 2u) % parts_count];
    let seen = atomicLoad(&touched[(k / 2u) % parts_count]) != 0u;
    let behind = k >= 2u * parts_count;
    let count = select(own.index_count, own.behind_count, behind);
    draws[k] = Draw(select(0u, count, seen), 1u, select(own.index_first, own.behind_first, behind), 0, 0u);
}
