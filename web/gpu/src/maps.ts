// Normal-depth maps of a body's parts by render passes, and contact with them: as src/toile/gpu/limb_maps.py, to the letter of the paper
// (no rim, limbs open where they are cut).
import { type Device, groupsOf } from "./device";

/** Numbers a vertex: place, normal, velocity. */
const STRIDE = 9;
const PART = 28;
const FAR = 1e30;

export interface MapScene {
  parts: number;
  /** Pixels a side of a map's texture. */
  size: number;
  pixel: number;
  reach: number;
  every: number;
  /** Corners of the parts' triangles, part after part. */
  index: Uint32Array;
  /** Vertices of the parts, one after the other. */
  vertex: Uint32Array;
  /** Of each part: first vertex, count, first corner, count, 0, 0. */
  ranges: Uint32Array;
}

export interface Look {
  dt: number;
  since: number;
  thickness: number;
  /** Of the body as a whole [m/s]. */
  travel: readonly number[];
}

export class PartMaps {
  private readonly index: GPUBuffer;
  private readonly vertex: GPUBuffer;
  private readonly ranges: GPUBuffer;
  private readonly parts: GPUBuffer;
  private readonly touched: GPUBuffer;
  private readonly draws: GPUBuffer;
  private readonly options: GPUBuffer;
  private readonly contact: GPUBuffer;
  private readonly depth: GPUTextureView;
  private readonly textures: GPUTexture[];
  private readonly partsLayout: GPUBindGroupLayout;
  private readonly touchLayout: GPUBindGroupLayout;
  private readonly partsPipes: Record<"bound" | "cull" | "choose", GPUComputePipeline>;
  private readonly touchPipe: GPUComputePipeline;
  private readonly drawPipes: GPURenderPipeline[];
  private readonly looks: GPUBindGroup[];
  private skin: GPUBuffer | undefined;

  constructor(private readonly device: Device, private readonly scene: MapScene) {
    const { parts, size } = scene;
    this.index = device.buffer(scene.index, GPUBufferUsage.INDEX);
    this.vertex = device.buffer(scene.vertex);
    this.ranges = device.buffer(scene.ranges);
    this.parts = device.buffer(4 * PART * parts);
    this.touched = device.buffer(4 * parts);
    this.draws = device.buffer(80 * parts, GPUBufferUsage.INDIRECT);
    this.options = device.uniform(new Uint8Array(48));
    this.contact = device.uniform(new Uint8Array(64));
    const make = (format: GPUTextureFormat, layers: number, usage: number): GPUTexture => device.gpu.createTexture({ size: [size, size, layers], format, usage });
    const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING;
    this.textures = [0, 1].map(() => make("rgba32float", 2 * parts, usage));
    this.depth = make("depth32float", 1, GPUTextureUsage.RENDER_ATTACHMENT).createView();
    this.partsLayout = device.layout(["uniform", "write", "read", "read", "read", "write", "write", "read"]);
    this.partsPipes = device.compute("parts", ["bound", "cull", "choose"], [this.partsLayout]);
    this.touchLayout = device.layout(["uniform", "write", "write", "read", "write", "texture", "texture"]);
    this.touchPipe = device.compute("contact", ["respond"], [this.touchLayout]).respond;
    const lookLayout = device.layout(["vertexRead", "vertexUniform"]);
    this.drawPipes = (["back", "front"] as const).map((cull) => this.drawPipe(lookLayout, cull));
    this.looks = Array.from({ length: 2 * parts }, (_, layer) => {
      const look = new DataView(new ArrayBuffer(32));
      look.setUint32(0, layer >> 1, true);
      look.setUint32(4, layer & 1, true);
      look.setFloat32(8, size, true);
      look.setFloat32(12, scene.pixel, true);
      return device.group(lookLayout, [this.parts, device.uniform(look)]);
    });
  }

  private drawPipe(lookLayout: GPUBindGroupLayout, cullMode: GPUCullMode): GPURenderPipeline {
    const module = this.device.module("maps");
    const attributes = [0, 1, 2].map((k) => ({ format: "float32x3" as const, offset: 12 * k, shaderLocation: k }));
    return this.device.gpu.createRenderPipeline({
      layout: this.device.gpu.createPipelineLayout({ bindGroupLayouts: [lookLayout] }),
      vertex: { module, entryPoint: "project", buffers: [{ arrayStride: 4 * STRIDE, attributes }] },
      primitive: { topology: "triangle-list", frontFace: "ccw", cullMode },
      depthStencil: { format: "depth32float", depthWriteEnabled: true, depthCompare: "less" },
      fragment: { module, entryPoint: "shade", targets: [{ format: "rgba32float" }, { format: "rgba32float" }] },
    });
  }

  /** skin: place, normal, velocity of each vertex; frames: x, y, z and origin of each part in the world, four numbers each. */
  pose(skin: Float32Array, frames: Float32Array): void {
    if (this.skin) this.device.write(this.skin, skin);
    else this.skin = this.device.buffer(skin, GPUBufferUsage.VERTEX);
    const parts = new Float32Array(PART * this.scene.parts);
    for (let k = 0; k < this.scene.parts; k++) parts.set(frames.subarray(16 * k, 16 * k + 16), PART * k);
    this.device.write(this.parts, parts);
  }

  /** Appends to the commands of a step: maps round the cloth as it is now, then the response. */
  encode(encoder: GPUCommandEncoder, place: GPUBuffer, velocity: GPUBuffer, look: Look): void {
    if (!this.skin) throw new Error("the body has no pose yet");
    const { device, scene } = this;
    const count = place.size / 16;
    const options = new DataView(new ArrayBuffer(48));
    [count, scene.every, 1, STRIDE].forEach((value, k) => { options.setUint32(4 * k, value, true); });
    [scene.pixel, scene.reach, scene.pixel, scene.size, ...look.travel.map((v) => v * look.since)].forEach((value, k) => { options.setFloat32(16 + 4 * k, value, true); });
    device.write(this.options, options);
    const contact = new DataView(new ArrayBuffer(64));
    [count, 0, 1, scene.parts].forEach((value, k) => { contact.setUint32(4 * k, value, true); });
    [scene.pixel, scene.reach, 0.005, look.thickness, look.since, look.dt, 0, 0, ...look.travel].forEach((value, k) => { contact.setFloat32(16 + 4 * k, value, true); });
    device.write(this.contact, contact);
    this.encodeChoice(encoder, place, count);
    for (let layer = 0; layer < 2 * scene.parts; layer++) this.encodeLayer(encoder, layer);
    const views = this.textures.map((texture) => texture.createView({ dimension: "2d-array" }));
    const run = encoder.beginComputePass();
    run.setPipeline(this.touchPipe);
    run.setBindGroup(0, device.group(this.touchLayout, [this.contact, place, velocity, this.parts, this.touched, ...views]));
    run.dispatchWorkgroups(groupsOf(count));
    run.end();
  }

  private encodeChoice(encoder: GPUCommandEncoder, place: GPUBuffer, count: number): void {
    const things = [this.options, this.parts, this.skin!, this.vertex, this.ranges, this.touched, this.draws, place];
    const run = encoder.beginComputePass();
    run.setBindGroup(0, this.device.group(this.partsLayout, things));
    const steps = [["bound", this.scene.parts], ["cull", groupsOf(Math.ceil(count / this.scene.every))], ["choose", 1]] as const;
    for (const [name, groups] of steps) {
      run.setPipeline(this.partsPipes[name]);
      run.dispatchWorkgroups(groups);
    }
    run.end();
  }

  private encodeLayer(encoder: GPUCommandEncoder, layer: number): void {
    const empty = [[0, 0, 0, 0], [0, 0, 0, layer & 1 ? FAR : -FAR]];
    const run = encoder.beginRenderPass({
      colorAttachments: this.textures.map((texture, k) => ({
        view: texture.createView({ dimension: "2d", baseArrayLayer: layer, arrayLayerCount: 1 }),
        loadOp: "clear" as const, storeOp: "store" as const, clearValue: empty[k]!,
      })),
      depthStencilAttachment: { view: this.depth, depthLoadOp: "clear", depthStoreOp: "discard", depthClearValue: 1 },
    });
    run.setPipeline(this.drawPipes[layer & 1]!);
    run.setBindGroup(0, this.looks[layer]!);
    run.setVertexBuffer(0, this.skin!);
    run.setIndexBuffer(this.index, "uint32");
    run.drawIndexedIndirect(this.draws, 20 * layer);
    run.end();
  }
}
