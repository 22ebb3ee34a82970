// The cloth as a picture, straight from the buffer in which it moves.
struct View { clip: mat4x4f, light: vec4f, colour: vec4f };
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> place: array<vec4f>;
struct Corner { @builtin(position) position: vec4f, @location(0) world: vec3f };
@vertex fn project(@builtin(vertex_index) i: u32) -> Corner {
    return Corner(view.clip * vec4f(place[i].xyz, 1.0), place[i].xyz);
}
@fragment fn shade(corner: Corner) -> @location(0) vec4f {
    // the triangle's own normal, from how the place changes across the picture
    let n = normalize(cross(dpdx(corner.world), dpdy(corner.world)));
    return vec4f(view.colour.rgb * (0.25 + 0.75 * abs(dot(n, view.light.xyz))), 1.0);
}
