// The cloth as a picture, straight from the buffer in which it moves.
import type { Device } from "./device";

export class ClothPicture {
  private readonly pipeline: GPURenderPipeline;
  private readonly view: GPUBuffer;
  private readonly group: GPUBindGroup;
  private readonly index: GPUBuffer;
  private readonly depth: GPUTexture;

  /** format and size of what is drawn into: a canvas (`canvasOf`) or a texture. */
  constructor(private readonly device: Device, format: GPUTextureFormat, size: readonly [number, number], place: GPUBuffer, triangles: Uint32Array) {
    const layout = device.layout(["vertexUniform", "vertexRead"]);
    const module = device.module("draw");
    this.pipeline = device.gpu.createRenderPipeline({
      layout: device.gpu.createPipelineLayout({ bindGroupLayouts: [layout] }),
      vertex: { module, entryPoint: "project" },
      primitive: { topology: "triangle-list" },
      depthStencil: { format: "depth32float", depthWriteEnabled: true, depthCompare: "less" },
      fragment: { module, entryPoint: "shade", targets: [{ format }] },
    });
    this.view = device.uniform(new Float32Array(24));
    this.group = device.group(layout, [this.view, place]);
    this.index = device.buffer(triangles, GPUBufferUsage.INDEX);
    this.depth = device.gpu.createTexture({ size: [...size], format: "depth32float", usage: GPUTextureUsage.RENDER_ATTACHMENT });
  }

  /** clip: sixteen numbers, column after column, that take the world to the picture. */
  draw(target: GPUTexture, clip: readonly number[], light: readonly number[], colour: readonly number[]): void {
    this.device.write(this.view, new Float32Array([...clip, ...light, 0, ...colour, 1]));
    const encoder = this.device.gpu.createCommandEncoder();
    const run = encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: "clear", storeOp: "store", clearValue: [1, 1, 1, 1] }],
      depthStencilAttachment: { view: this.depth.createView(), depthLoadOp: "clear", depthStoreOp: "discard", depthClearValue: 1 },
    });
    run.setPipeline(this.pipeline);
    run.setBindGroup(0, this.group);
    run.setIndexBuffer(this.index, "uint32");
    run.drawIndexed(this.index.size / 4);
    run.end();
    this.device.gpu.queue.submit([encoder.finish()]);
  }
}

/** A canvas made ready for pictures: what it shows next, and its format. */
export function canvasOf(device: Device, canvas: HTMLCanvasElement): { format: GPUTextureFormat; target: () => GPUTexture } {
  const context = canvas.getContext("webgpu") as GPUCanvasContext | null;
  if (!context) throw new Error("this canvas shows nothing by WebGPU");
  const format = navigator.gpu.getPreferredCanvasFormat();
  context.configure({ device: device.gpu, format });
  return { format, target: () => context.getCurrentTexture() };
}
