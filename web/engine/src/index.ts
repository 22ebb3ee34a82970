/** Cloth in the browser: files, and scenes that live in a Worker. See docs/browser-engine.md. */
export { numbers, readBlocks, setting, ToileError, wholes, type ArrayData, type Block, type Values } from "./blocks";
