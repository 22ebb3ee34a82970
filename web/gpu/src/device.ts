// The graphics device of the browser, with the same groups and pipelines as src/toile/gpu/device.py has for the desktop.

/** Threads of a workgroup, in every shader. */
const WORKGROUP = 64;

export const groupsOf = (count: number): number => Math.ceil(count / WORKGROUP);

export type Kind = "uniform" | "offset" | "read" | "write" | "texture" | "vertexRead" | "vertexUniform";
type Thing = GPUBuffer | GPUTextureView;

const LAYOUTS: Record<Kind, Partial<GPUBindGroupLayoutEntry>> = {
  uniform: { buffer: { type: "uniform" } },
  offset: { buffer: { type: "uniform", hasDynamicOffset: true } },
  read: { buffer: { type: "read-only-storage" } },
  write: { buffer: { type: "storage" } },
  texture: { texture: { sampleType: "unfilterable-float", viewDimension: "2d-array" } },
  vertexRead: { buffer: { type: "read-only-storage" } },
  vertexUniform: { buffer: { type: "uniform" } },
};

/** Texts of the shaders in src/toile/gpu/shaders, by name. */
export type Shaders = Record<"cloth" | "maps" | "parts" | "contact" | "draw", string>;

export class Device {
  private readonly modules = new Map<string, GPUShaderModule>();

  private constructor(readonly gpu: GPUDevice, private readonly shaders: Shaders) {}

  /** The browser's device; an error in words where there is none. */
  static async open(shaders: Shaders): Promise<Device> {
    const adapter = await navigator.gpu?.requestAdapter();
    if (!adapter) throw new Error("this browser shows no graphics device (WebGPU)");
    return new Device(await adapter.requestDevice(), shaders);
  }

  buffer(data: ArrayBufferView | number, extra = 0): GPUBuffer {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST | extra;
    const size = Math.max(16, typeof data === "number" ? data : data.byteLength);
    const made = this.gpu.createBuffer({ size, usage });
    if (typeof data !== "number") this.write(made, data);
    return made;
  }

  uniform(data: ArrayBufferView): GPUBuffer {
    const made = this.gpu.createBuffer({ size: data.byteLength, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    this.write(made, data);
    return made;
  }

  write(buffer: GPUBuffer, data: ArrayBufferView): void {
    this.gpu.queue.writeBuffer(buffer, 0, data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  }

  /** Waits for the device. */
  async read(buffer: GPUBuffer): Promise<ArrayBuffer> {
    const copy = this.gpu.createBuffer({ size: buffer.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = this.gpu.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
    this.gpu.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const found = copy.getMappedRange().slice(0);
    copy.destroy();
    return found;
  }

  module(shader: keyof Shaders): GPUShaderModule {
    const made = this.modules.get(shader) ?? this.gpu.createShaderModule({ label: shader, code: this.shaders[shader] });
    this.modules.set(shader, made);
    return made;
  }

  layout(kinds: Kind[]): GPUBindGroupLayout {
    const visibility = kinds.some((kind) => kind.startsWith("vertex")) ? GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT : GPUShaderStage.COMPUTE;
    const entries = kinds.map((kind, binding) => ({ binding, visibility, ...LAYOUTS[kind] }));
    return this.gpu.createBindGroupLayout({ entries });
  }

  /** size: how much of the first buffer is seen at an offset. */
  group(layout: GPUBindGroupLayout, things: Thing[], size = 0): GPUBindGroup {
    const entries = things.map((thing, binding) => ({
      binding,
      resource: thing instanceof GPUBuffer ? { buffer: thing, ...(binding === 0 && size ? { size } : {}) } : thing,
    }));
    return this.gpu.createBindGroup({ layout, entries });
  }

  compute<Name extends string>(shader: keyof Shaders, names: readonly Name[], layouts: GPUBindGroupLayout[]): Record<Name, GPUComputePipeline> {
    const layout = this.gpu.createPipelineLayout({ bindGroupLayouts: layouts });
    const module = this.module(shader);
    const made = names.map((entryPoint) => [entryPoint, this.gpu.createComputePipeline({ layout, compute: { module, entryPoint } })]);
    return Object.fromEntries(made) as Record<Name, GPUComputePipeline>;
  }
}
