// The shaders of src/toile/gpu, taken into the page when it is built.
import cloth from "../../../src/toile/gpu/shaders/cloth.wgsl?raw";
import contact from "../../../src/toile/gpu/shaders/contact.wgsl?raw";
import draw from "../../../src/toile/gpu/shaders/draw.wgsl?raw";
import maps from "../../../src/toile/gpu/shaders/maps.wgsl?raw";
import parts from "../../../src/toile/gpu/shaders/parts.wgsl?raw";
import type { Shaders } from "./device";

export const shaders: Shaders = { cloth, contact, draw, maps, parts };
