// Verlet cloth on the graphics device of the browser: as src/toile/gpu/verlet.py.
import { type Device, groupsOf } from "./device";
import type { PartMaps } from "./maps";

/** Uniform values at a dynamic offset lie so many bytes apart. */
const OFFSET = 256;
const LINKS = 32;

export interface ClothScene {
  count: number;
  rows: number;
  columns: number;
  entry: "relax_grid" | "relax_table";
  /** Of each dispatch: first, count, kind, parity, down, right, share, look: 32 bytes. */
  links: Uint8Array;
  table: Uint32Array;
  rest: Float32Array;
  /** The most particles or links that one dispatch visits. */
  items: number;
}

export interface StepOptions {
  dt: number;
  keep: number;
  gravity: readonly number[];
  most: number;
  threshold: number;
  moving: number;
  thickness: number;
  since: number;
  travel: readonly number[];
}

export class VerletCloth {
  /** Where the particles are; drawn from here. */
  readonly place: GPUBuffer;
  readonly velocity: GPUBuffer;
  private readonly step: GPUBuffer;
  private readonly control: GPUBuffer;
  private readonly groups: [GPUBindGroup, GPUBindGroup, GPUBindGroup];
  private readonly pipes;
  private readonly dispatches: number;

  /** place and velocity: four numbers a particle; the last ones are 1 (0: pinned) and the friction. */
  constructor(private readonly device: Device, private readonly scene: ClothScene, place: Float32Array, velocity: Float32Array) {
    this.place = device.buffer(place);
    this.velocity = device.buffer(velocity);
    const start = device.buffer(place.byteLength);
    const before = device.buffer(place.byteLength);
    const groups = groupsOf(scene.items);
    this.control = device.buffer(new Uint32Array([groups, 1, 1, groups, 0, 0]), GPUBufferUsage.INDIRECT);
    this.step = device.uniform(new Uint8Array(64));
    this.dispatches = scene.links.byteLength / LINKS;
    const links = new Uint8Array(2 * this.dispatches * OFFSET);
    for (let k = 0; k < 2 * this.dispatches; k++) {
      const own = (k % this.dispatches) * LINKS;
      links.set(scene.links.subarray(own, own + LINKS), k * OFFSET);
      new DataView(links.buffer).setUint32(k * OFFSET + 28, k < this.dispatches ? 0 : 1, true);
    }
    const layouts = [device.layout(["uniform", "write", "write", "write"]), device.layout(["offset", "write", "read", "read"]), device.layout(["write"])];
    this.pipes = {
      ...device.compute("cloth", ["predict", "settle", "remember", "relax_grid", "relax_table"] as const, layouts.slice(0, 2)),
      ...device.compute("cloth", ["arm", "count_moving", "decide"] as const, layouts),
    };
    this.groups = [
      device.group(layouts[0]!, [this.step, this.place, this.velocity, start]),
      device.group(layouts[1]!, [device.uniform(links), before, device.buffer(scene.table), device.buffer(scene.rest)], LINKS),
      device.group(layouts[2]!, [this.control]),
    ];
  }

  /** Enqueues one time step as the paper has it: relaxation, then contact; nothing comes back. */
  advance(options: StepOptions, maps?: PartMaps): void {
    const { scene, device } = this;
    const values = new DataView(new ArrayBuffer(64));
    [scene.count, scene.rows, scene.columns, options.moving].forEach((value, k) => { values.setUint32(4 * k, value, true); });
    [options.dt, options.keep, options.threshold].forEach((value, k) => { values.setFloat32(16 + 4 * k, value, true); });
    values.setUint32(28, 1, true);
    options.gravity.forEach((value, k) => { values.setFloat32(32 + 4 * k, value, true); });
    device.write(this.step, values);
    const encoder = device.gpu.createCommandEncoder();
    this.encode(encoder, options);
    maps?.encode(encoder, this.place, this.velocity, options);
    device.gpu.queue.submit([encoder.finish()]);
  }

  private encode(encoder: GPUCommandEncoder, options: StepOptions): void {
    const run = encoder.beginComputePass();
    const groups = groupsOf(this.scene.count);
    const dispatch = (name: keyof typeof this.pipes, count: number): void => {
      run.setPipeline(this.pipes[name]);
      run.dispatchWorkgroups(count);
    };
    const look = options.threshold > 0;
    run.setBindGroup(0, this.groups[0]);
    run.setBindGroup(1, this.groups[1], [0]);
    run.setBindGroup(2, this.groups[2]);
    dispatch("predict", groups);
    dispatch("arm", 1);
    for (let sweep = 0; sweep < options.most; sweep++) {
      if (look) dispatch("remember", groups);
      run.setPipeline(this.pipes[this.scene.entry]);
      for (let k = 0; k < this.dispatches; k++) {
        run.setBindGroup(1, this.groups[1], [k * OFFSET]);
        run.dispatchWorkgroupsIndirect(this.control, 0);
      }
      run.setBindGroup(1, this.groups[1], [look ? this.dispatches * OFFSET : 0]);
      if (look) dispatch("count_moving", groups);
      dispatch("decide", 1);
    }
    dispatch("settle", groups);
    run.end();
  }

  /** Waits for the device: four numbers a particle. */
  async positions(): Promise<Float32Array> {
    return new Float32Array(await this.device.read(this.place));
  }

  /** Waits for the device: sweeps of the last step. */
  async sweeps(): Promise<number> {
    return new Uint32Array(await this.device.read(this.control))[5]!;
  }
}
