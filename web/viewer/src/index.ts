/** The viewer: a stage for dressed bodies. See docs/browser-engine.md. */
export { ToileViewer } from "./element";
export { liveBody, readBody, readCloth, readMaterial } from "./dressed";
export { LivePlayer } from "./live";
export { RecordingFile } from "./recording";
export { computeNormals } from "./normals";
export { TONES } from "../materials/skin";
export { Stage, type Grab, type StageOptions } from "./stage";
export type { BodyMesh, ClothHit, ClothMesh, ClothPart, FrameData, MaterialSpec, View } from "./types";
