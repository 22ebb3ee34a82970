/** Cloth in the browser: files, and scenes that live in a Worker. See docs/browser-engine.md. */
export { numbers, readBlocks, setting, ToileError, wholes, type ArrayData, type Block, type Values } from "./blocks";
export { LiveScene, loadEngine, usableThreads, type LiveOptions, type LiveState } from "./live";
export { Simulation, type Command, type FabricChoice, type LiveFrame } from "./simulation";
export { wantsThreads } from "./wasm";
