// Normal-depth and velocity maps of parts of a body, drawn by render passes: a camera before and one behind each part.
struct Part {
    x: vec4f, y: vec4f, z: vec4f, origin: vec4f,  // the part's axes in the world
    low: vec4f, high: vec4f,                      // box of its skin in its own frame
    map: vec4f,                                   // left, top, width, height [m, m, pixels, pixels]
};
struct Look { part: u32, back: u32, size: f32, pixel: f32, tolerance: f32, p0: f32, p1: f32, p2: f32 };
@group(0) @binding(0) var<storage, read> parts: array<Part>;
@group(0) @binding(1) var<uniform> look: Look;

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) normal: vec3f, @location(1) velocity: vec3f, @location(2) depth: f32,
};
@vertex fn project(@location(0) place: vec3f, @location(1) normal: vec3f, @location(2) velocity: vec3f) -> Corner {
    let part = parts[look.part];
    let d = place - part.origin.xyz;
    let p = vec3f(dot(part.x.xyz, d), dot(part.y.xyz, d), dot(part.z.xyz, d));
    let pixel = vec2f(p.x - part.map.x, part.map.y - p.y) / look.pixel;
    // two metres before and behind the joint; each camera keeps what is nearest to it
    let z = 0.5 + 0.25 * select(-p.z, p.z, look.back == 1u);
    let n = vec3f(dot(part.x.xyz, normal), dot(part.y.xyz, normal), dot(part.z.xyz, normal));
    return Corner(vec4f(2.0 * pixel.x / look.size - 1.0, 1.0 - 2.0 * pixel.y / look.size, z, 1.0), n, velocity, p.z);
}

// two targets: normal and plane offset; velocity and depth
struct Texel { @location(0) plane: vec4f, @location(1) motion: vec4f };
@fragment fn shade(corner: Corner) -> Texel {
    let part = parts[look.part];
    let at = vec3f(part.map.x + corner.position.x * look.pixel, part.map.y - corner.position.y * look.pixel, corner.depth);
    let n = corner.normal / max(length(corner.normal), 1e-12);
    let out = select(look.tolerance, -look.tolerance, look.back == 1u);
    return Texel(vec4f(n, dot(n, at) + look.tolerance), vec4f(corner.velocity, corner.depth + out));
}
