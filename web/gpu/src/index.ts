// Paper 004 in the browser: the same shaders as on the desktop (docs/gpu.md).
export { type ClothScene, type StepOptions, VerletCloth } from "./cloth";
export { Device, type Shaders } from "./device";
export { canvasOf, ClothPicture } from "./draw";
export { type MapScene, PartMaps } from "./maps";
