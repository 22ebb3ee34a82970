/** The Worker in which a scene lives; see live.ts for what it is told and tells. */
import { ToileError } from "./blocks";
import type { FromWorker, ToWorker } from "./messages";
import { Simulation, type LiveFrame } from "./simulation";
import { instantiate, SHARED_MEMORY, type Exports } from "./wasm";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const tell = (message: FromWorker, moved: Transferable[] = []): void => scope.postMessage(message, moved);
let simulation: Simulation | null = null;
let credits = 0, running = false;
const spare: LiveFrame[] = [];

scope.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  void handle(data).catch(stopped);
};

async function handle(message: ToWorker): Promise<void> {
  if (message.kind === "help") return serve(message);
  if (message.kind === "open") return open(message);
  if (!simulation) return;
  if (message.kind === "command") {
    try {
      simulation.run(message.command);
    } catch (error) {
      if (!(error instanceof ToileError)) throw error;
      tell({ kind: "refused", message: error.message });
    }
    return;
  }
  if (message.kind === "state") {
    const positions = Float64Array.from(simulation.state());
    return tell({ kind: "state", positions, memory: simulation.memoryBytes }, [positions.buffer]);
  }
  credits += message.count;
  if (message.back) spare.push(message.back);
  if (!running) void loop().catch(stopped);
}

/** Computes as many frames as are asked for; between two of them commands come in. */
async function loop(): Promise<void> {
  running = true;
  while (credits > 0 && simulation) {
    credits--;
    const start = performance.now();
    simulation.frame();
    const frame = simulation.read(spare.pop());
    frame.took = performance.now() - start;
    tell({ kind: "frame", frame }, [frame.positions.buffer, frame.normals.buffer, frame.joints.buffer]);
    await pause();
  }
  running = false;
}

const channel = new MessageChannel();
/** Lets messages in; a timer would wait for milliseconds. */
function pause(): Promise<void> {
  return new Promise((done) => {
    channel.port1.onmessage = () => done();
    channel.port2.postMessage(null);
  });
}

async function open({ module, scene, threads }: Extract<ToWorker, { kind: "open" }>): Promise<void> {
  let memory: WebAssembly.Memory | undefined, engine: Exports | undefined;
  if (threads > 1) {
    memory = new WebAssembly.Memory(SHARED_MEMORY);
    engine = await instantiate(module, memory);
    engine._initialize?.();
    for (let rank = 1; rank < threads; rank++) {
      const stack = engine.toile_alloc(1 << 20) + (1 << 20), storage = engine.toile_alloc(Number(engine.__tls_size!.value) + 64);
      tell({ kind: "helper", help: { kind: "help", module, memory, stack, storage, rank } });
    }
    engine.toile_threads(threads);
    for (let wait = 0; engine.toile_serving!() < threads - 1 && wait < 400; wait++) await new Promise((done) => setTimeout(done, 5));
  }
  simulation = await Simulation.open(module, scene, memory, engine);
  const { head, body, fabrics } = simulation;
  tell({ kind: "opened", head, body, joints: simulation.jointCount, fabrics, first: simulation.read(), threads });
}

/** A helper never comes back: it waits inside the engine for work. */
async function serve({ module, memory, stack, storage, rank }: Extract<ToWorker, { kind: "help" }>): Promise<void> {
  const engine = await instantiate(module, memory);
  engine.__stack_pointer!.value = stack;
  engine.__wasm_init_tls!(storage);
  engine.toile_serve!(rank);
}

function stopped(error: unknown): void {
  simulation = null;
  running = false;
  const why = error instanceof ToileError ? error.message : error instanceof WebAssembly.RuntimeError ? "the engine stopped: the scene cannot be computed" : String(error);
  tell({ kind: "failed", message: why });
}
