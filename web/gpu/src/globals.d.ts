// Constants of WebGPU that the library of types does not declare yet.
declare const GPUBufferUsage: Record<"MAP_READ" | "COPY_SRC" | "COPY_DST" | "INDEX" | "VERTEX" | "UNIFORM" | "STORAGE" | "INDIRECT", number>;
declare const GPUTextureUsage: Record<"COPY_SRC" | "TEXTURE_BINDING" | "STORAGE_BINDING" | "RENDER_ATTACHMENT", number>;
declare const GPUShaderStage: Record<"VERTEX" | "FRAGMENT" | "COMPUTE", number>;
declare const GPUMapMode: Record<"READ", number>;
