// Shows a recording: fetches frames as they are needed, keeps the nearest ones, draws with WebGL 2.
const KEPT = 240; // frames kept in memory
const AHEAD = 12; // frames fetched before they are shown
const SKIN = [0.55, 0.42, 0.36];

const element = (id) => document.getElementById(id);
const canvas = element("view");
// outlines are smoothed by drawing twice as fine: multisampling in software leaves holes between triangles
const gl = canvas.getContext("webgl2", { antialias: false });

const KEY = unit([0.5, 0.9, 0.7]); // where the light comes from
const PAPER = [0.843, 0.847, 0.855]; // background and floor
const MAP = 2048; // pixels of the shadow map
const REACH = 1.5; // half of what it shows [m]

// how much of the light arrives: nine looks into the shadow map
const SHADOW = `
uniform highp sampler2DShadow shadow_map;
uniform mat4 map_from_world;
float lit(vec3 p) {
  vec3 at = (map_from_world * vec4(p, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  for (int x = -1; x <= 1; x++) for (int y = -1; y <= 1; y++)
    sum += texture(shadow_map, vec3(at.xy + 1.5 * vec2(x, y) / ${MAP}.0, at.z - 0.0012));
  return sum / 9.0;
}`;

const SURFACE = [`#version 300 es
uniform mat4 clip_from_world;
in vec3 position; in vec3 normal; in vec3 colour;
out vec3 n; out vec3 c; out vec3 p;
void main() { n = normal; c = colour; p = position; gl_Position = clip_from_world * vec4(position, 1.0); }`,
`#version 300 es
precision highp float;
uniform vec3 eye; uniform vec3 key;
in vec3 n; in vec3 c; in vec3 p;
out vec4 pixel;
${SHADOW}
void main() {
  vec3 view = normalize(eye - p);
  vec3 m = normalize(n);
  // the triangle tells the side: near outlines a smooth normal leans away from the eye on the near side too
  if (!gl_FrontFacing) m = -m;
  float direct = max(dot(m, key), 0.0) * lit(p + 0.006 * m);
  float light = 0.36 + 0.18 * m.y + 0.66 * direct + 0.10 * pow(1.0 - max(dot(m, view), 0.0), 3.0);
  pixel = vec4(pow(clamp(c * light * 1.2, 0.0, 1.0), vec3(1.0 / 2.2)), 1.0);
}`];

// a floor that is paper like the background, but for the shadow on it
const FLOOR = [`#version 300 es
uniform mat4 clip_from_world; uniform vec3 middle;
out vec3 p;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  p = vec3(middle.x + 6.0 * corner.x, 0.0, middle.z + 6.0 * corner.y);
  gl_Position = clip_from_world * vec4(p, 1.0);
}`,
`#version 300 es
precision highp float;
uniform vec3 paper;
in vec3 p;
out vec4 pixel;
${SHADOW}
void main() { pixel = vec4(paper * (0.74 + 0.26 * lit(p)), 1.0); }`];

const DEPTH = [`#version 300 es
uniform mat4 map_from_world;
in vec3 position;
void main() { gl_Position = map_from_world * vec4(position, 1.0); }`,
`#version 300 es
precision highp float;
void main() {}`];

function program([vertex, fragment]) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  // the same buffers serve all programs
  ["position", "normal", "colour"].forEach((name, place) => gl.bindAttribLocation(made, place, name));
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  return made;
}

function shadowMap() {
  const texture = gl.createTexture(), target = gl.createFramebuffer();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, MAP, MAP);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
  gl.bindFramebuffer(gl.FRAMEBUFFER, target);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  return target;
}

async function get(address, kind) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(await answer.text());
  return kind === "json" ? answer.json() : answer.arrayBuffer();
}

// area-weighted normals of all points
function normalsOf(points, triangles) {
  const normals = new Float32Array(points.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a], vy = points[c + 1] - points[a + 1], vz = points[c + 2] - points[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    for (const i of [a, b, c]) { normals[i] += x; normals[i + 1] += y; normals[i + 2] += z; }
  }
  return normals;
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0];
}

const subtract = (a, b) => a.map((v, i) => v - b[i]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
function unit(a) { return a.map((v) => v / Math.hypot(...a)); }

function parallel(reach, near, far) {
  return [1 / reach, 0, 0, 0, 0, 1 / reach, 0, 0, 0, 0, 2 / (near - far), 0, 0, 0, (far + near) / (near - far), 1];
}

function lookAt(eye, target) {
  const back = unit(subtract(eye, target)), right = unit(cross([0, 1, 0], back)), up = cross(back, right);
  return [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1];
}

function multiply(a, b) {
  const result = new Float32Array(16);
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) for (let k = 0; k < 4; k++) result[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return result;
}

class Player {
  async start() {
    this.about = await get("about", "json");
    const mesh = new Int32Array(await get("mesh"));
    const [cloth, skin] = mesh;
    const points = this.about.points;
    const triangles = new Uint32Array(3 * (cloth + skin));
    triangles.set(mesh.subarray(2, 2 + 3 * cloth));
    const owner = mesh.subarray(2 + 3 * cloth, 2 + 4 * cloth);
    mesh.subarray(2 + 4 * cloth).forEach((v, i) => { triangles[3 * cloth + i] = v + points; });
    Object.assign(this, { triangles, clothCount: 3 * cloth, frames: new Map(), problems: new Map(), asked: new Set(), playing: false });
    this.time = 0; this.shown = -1; this.turn = 0.6; this.lift = 0.12; this.distance = 3.7; this.middle = [0, 0.8, 0];
    this.prepare(owner);
    this.listen();
    await this.need(0);
    element("message").textContent = this.about.name;
    requestAnimationFrame((now) => this.tick(now));
    this.follow();
  }

  prepare(owner) {
    this.programs = { surface: program(SURFACE), floor: program(FLOOR), depth: program(DEPTH) };
    this.shadow = shadowMap();
    gl.enable(gl.DEPTH_TEST);
    gl.clearColor(...PAPER, 1);
    const count = this.about.points + this.about.skin;
    const colours = new Float32Array(3 * count);
    for (let p = this.about.points; p < count; p++) colours.set(SKIN, 3 * p);
    owner.forEach((g, t) => {
      for (let k = 0; k < 3; k++) colours.set(this.about.garments[Math.min(g, this.about.garments.length - 1)].colour, 3 * this.triangles[3 * t + k]);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, this.triangles, gl.STATIC_DRAW);
    this.buffers = {};
    for (const [at, name] of ["position", "normal", "colour"].entries()) {
      this.buffers[name] = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
      gl.bufferData(gl.ARRAY_BUFFER, name === "colour" ? colours : 12 * count, name === "colour" ? gl.STATIC_DRAW : gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 0, 0);
    }
  }

  listen() {
    element("play").addEventListener("click", () => this.setPlaying(!this.playing));
    element("scrub").addEventListener("input", (event) => { this.setPlaying(false); this.time = Number(event.target.value); });
    element("body").addEventListener("change", () => { this.shown = -1; });
    element("bar").addEventListener("submit", (event) => event.preventDefault());
    window.addEventListener("keydown", (event) => {
      if (event.target.tagName === "BUTTON" || event.target.tagName === "INPUT") return;
      if (event.key === " ") this.setPlaying(!this.playing);
      if (event.key === "ArrowRight" || event.key === "ArrowLeft") this.step(event.key === "ArrowRight" ? 1 : -1);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!event.buttons) return;
      this.turn -= event.movementX * 0.008;
      this.lift = Math.max(-0.4, Math.min(1.4, this.lift + event.movementY * 0.006));
      this.moved = true;
    });
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.distance = Math.max(0.6, Math.min(12, this.distance * Math.exp(0.001 * event.deltaY)));
      this.moved = true;
    }, { passive: false });
    window.addEventListener("resize", () => { this.moved = true; });
  }

  setPlaying(playing) {
    this.playing = playing;
    element("play").textContent = playing ? "Pause" : "Play";
    element("play").setAttribute("aria-pressed", String(playing));
  }

  step(count) {
    this.setPlaying(false);
    this.time = (Math.floor(this.time) + count + this.about.frames) % this.about.frames;
  }

  // looks for new frames while the recording grows
  async follow() {
    element("scrub").max = this.about.frames - 1;
    while (!this.about.complete) {
      await new Promise((resolve) => setTimeout(resolve, 2000));
      this.about = { ...this.about, ...(await get("about", "json")) };
      element("scrub").max = this.about.frames - 1;
      this.shown = -1;
    }
  }

  async need(number) {
    if (this.frames.has(number) || this.asked.has(number)) return;
    this.asked.add(number);
    try {
      const [points, problems] = await Promise.all([get(`frame/${number}`), get(`problems/${number}`, "json")]);
      if (problems.length) this.problems.set(number, problems);
      this.frames.set(number, new Float32Array(points));
    } catch (error) {
      this.frames.set(number, null); // damaged: the frame before stays
      element("message").textContent = error.message;
    }
    this.asked.delete(number);
    if (this.frames.size > KEPT) this.frames.delete(this.frames.keys().next().value);
  }

  tick(now) {
    const count = this.about.frames;
    const wanted = Math.floor(this.time) % count;
    for (let k = 0; k <= AHEAD; k++) if (this.asked.size < 4) this.need((wanted + k) % count);
    if (this.playing && this.frames.has(wanted)) {
      // a slow connection slows the film down rather than leaving frames out
      this.time = (this.time + Math.min((now - (this.before ?? now)) / 1000, 0.1) * this.about.fps) % count;
    }
    this.before = now;
    if (this.frames.get(wanted) && (wanted !== this.shown || this.moved)) this.draw(wanted);
    requestAnimationFrame((later) => this.tick(later));
  }

  // switches to a program and sets its numbers: matrices of 16, vectors of 3
  use(name, values) {
    const chosen = this.programs[name];
    gl.useProgram(chosen);
    for (const [key, value] of Object.entries(values)) {
      const at = gl.getUniformLocation(chosen, key);
      if (value.length === 16) gl.uniformMatrix4fv(at, false, value);
      else gl.uniform3fv(at, value);
    }
  }

  draw(number) {
    const points = this.frames.get(number);
    if (number !== this.shown) {
      for (const [name, values] of [["position", points], ["normal", normalsOf(points, this.triangles)]]) {
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, values);
      }
      let x = 0, z = 0;
      for (let i = 0; i < points.length; i += 3) { x += points[i]; z += points[i + 2]; }
      this.middle = [3 * x / points.length, 0.8, 3 * z / points.length];
      element("scrub").value = number;
      element("count").textContent = `${number + 1} / ${this.about.frames}`;
      // what the audit found wrong in this frame
      element("problems").textContent = (this.problems.get(number) ?? []).join("\n");
    }
    const indices = element("body").checked ? this.triangles.length : this.clothCount;
    const lamp = this.middle.map((v, i) => v + 4 * KEY[i]);
    const map = multiply(parallel(REACH, 1, 8), lookAt(lamp, this.middle));
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow);
    gl.viewport(0, 0, MAP, MAP);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.use("depth", { map_from_world: map });
    gl.drawElements(gl.TRIANGLES, indices, gl.UNSIGNED_INT, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const ratio = Math.max(window.devicePixelRatio || 1, 2);
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const flat = this.distance * Math.cos(this.lift);
    const eye = [this.middle[0] + flat * Math.sin(this.turn), this.middle[1] + this.distance * Math.sin(this.lift), this.middle[2] + flat * Math.cos(this.turn)];
    const lens = perspective(0.62, canvas.width / canvas.height, 0.05, 60);
    const shared = { clip_from_world: multiply(lens, lookAt(eye, this.middle)), map_from_world: map };
    this.use("surface", { ...shared, eye, key: KEY });
    gl.drawElements(gl.TRIANGLES, indices, gl.UNSIGNED_INT, 0);
    // from below one looks through the floor
    if (eye[1] > 0) {
      this.use("floor", { ...shared, middle: this.middle, paper: PAPER });
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    this.shown = number;
    this.moved = false;
    document.body.dataset.shown = String(number); // for tests
  }
}

if (gl) new Player().start().catch((error) => { element("message").textContent = `cannot show this: ${error.message}`; });
else element("message").textContent = "this browser has no WebGL 2";
