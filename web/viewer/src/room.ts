import * as THREE from "three";
import { RoomEnvironment } from "three/examples/jsm/environments/RoomEnvironment.js";

/** where the key light comes from: high, so that shadows stay near the feet [m] */
const FROM = [-1.5, 4.2, 1.9] as const;

/** A neutral daylight studio: soft key from the upper left, large fill, thin rim, a floor that fades away. */
export class Room {
  readonly key: THREE.DirectionalLight;
  private readonly environment: THREE.Texture | null;
  private readonly floor: THREE.Mesh<THREE.CircleGeometry, THREE.ShaderMaterial>;
  private readonly shade: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;

  constructor(private readonly scene: THREE.Scene, renderer: THREE.WebGLRenderer, simple: boolean) {
    // the light of a whole room takes a processor seconds to prepare, sky and ground none
    this.environment = simple ? null : surroundings(renderer);
    scene.environment = this.environment;
    scene.environmentIntensity = 0.55;
    if (simple) scene.add(new THREE.HemisphereLight("#fffdf8", "#c8bfb4", 3.3));
    this.key = new THREE.DirectionalLight("#fff6ea", 1.6);
    this.key.position.set(...FROM);
    this.key.castShadow = true;
    const size = simple ? 1024 : 2048;
    this.key.shadow.mapSize.set(size, size);
    this.key.shadow.bias = -0.0004;
    this.key.shadow.normalBias = 0.006;
    this.key.shadow.radius = simple ? 4 : 7;
    Object.assign(this.key.shadow.camera, { left: -1.5, right: 1.5, top: 1.6, bottom: -1.6, near: 0.5, far: 9 });
    const rim = new THREE.DirectionalLight("#e8f0ff", 0.6);
    rim.position.set(1.6, 2.4, -3);
    this.floor = new THREE.Mesh(new THREE.CircleGeometry(4, 64), fading());
    this.shade = new THREE.Mesh(new THREE.PlaneGeometry(8, 8), shade());
    for (const mesh of [this.floor, this.shade]) mesh.rotation.x = -Math.PI / 2;
    this.shade.position.y = 0.0005;
    this.shade.receiveShadow = true;
    this.floor.renderOrder = -2;
    this.shade.renderOrder = -1;
    scene.add(this.key, this.key.target, rim, this.floor, this.shade);
    this.setBackground("#f4f2ee");
    this.follow(0, 0.9, 0);
  }

  /** Colour of the wall; the floor ends in it. */
  setBackground(color: THREE.ColorRepresentation): void {
    const wall = new THREE.Color(color);
    this.scene.background = wall;
    this.floor.material.uniforms.ground!.value = wall.clone().multiplyScalar(0.93);
  }

  /** Light and floor go along with whom they light. */
  follow(x: number, y: number, z: number): void {
    this.key.target.position.set(x, y, z);
    this.key.position.set(x + FROM[0], y + FROM[1], z + FROM[2]);
    this.floor.position.set(x, 0, z);
    this.shade.position.set(x, 0.0005, z);
  }

  dispose(): void {
    this.environment?.dispose();
    this.key.dispose();
    for (const mesh of [this.floor, this.shade]) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
  }
}

function surroundings(renderer: THREE.WebGLRenderer): THREE.Texture {
  const maker = new THREE.PMREMGenerator(renderer);
  const { texture } = maker.fromScene(new RoomEnvironment(), 0.04);
  maker.dispose();
  return texture;
}

/** The shadow on the floor: dark where the person stands, gone a step away, as under a large soft lamp. */
function shade(): THREE.ShadowMaterial {
  const material = new THREE.ShadowMaterial({ opacity: 0.3 });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("void main() {", "varying vec2 floorAt;\nvoid main() {\n  floorAt = position.xy;");
    shader.fragmentShader = shader.fragmentShader
      .replace("void main() {", "varying vec2 floorAt;\nvoid main() {")
      .replace("#include <tonemapping_fragment>", `float far = length(floorAt);
        float near = exp(-14.0 * dot(floorAt, floorAt));
        gl_FragColor.a = max(gl_FragColor.a * exp(-2.2 * far), 0.16 * near);
        #include <tonemapping_fragment>`);
  };
  return material;
}

function fading(): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    transparent: true, depthWrite: false,
    uniforms: { ground: { value: new THREE.Color() } },
    vertexShader: "varying vec2 at; void main() { at = position.xy / 4.0; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
    fragmentShader: `uniform vec3 ground; varying vec2 at;
      void main() { gl_FragColor = vec4(ground, 1.0 - smoothstep(0.1, 1.0, length(at)));
      #include <colorspace_fragment>
      }`,
  });
}
