/** Adds up the normals of triangles (weighted by area) at their particles, and makes them unit length. */
export function computeNormals(positions: Float32Array, triangles: Uint32Array, out: Float32Array): Float32Array {
  out.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t]!, b = 3 * triangles[t + 1]!, c = 3 * triangles[t + 2]!;
    const ux = positions[b]! - positions[a]!, uy = positions[b + 1]! - positions[a + 1]!, uz = positions[b + 2]! - positions[a + 2]!;
    const vx = positions[c]! - positions[a]!, vy = positions[c + 1]! - positions[a + 1]!, vz = positions[c + 2]! - positions[a + 2]!;
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    out[a]! += x; out[a + 1]! += y; out[a + 2]! += z;
    out[b]! += x; out[b + 1]! += y; out[b + 2]! += z;
    out[c]! += x; out[c + 1]! += y; out[c + 2]! += z;
  }
  for (let i = 0; i < out.length; i += 3) {
    const x = out[i]!, y = out[i + 1]!, z = out[i + 2]!;
    const scale = 1 / Math.max(Math.sqrt(x * x + y * y + z * z), 1e-20);
    out[i] = x * scale; out[i + 1] = y * scale; out[i + 2] = z * scale;
  }
  return out;
}
