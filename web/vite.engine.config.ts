import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// the package toile-engine: what other pages and games in the browser import; tools/build_wasm.py puts the engine beside it
export default defineConfig({
  root: here("engine"),
  base: "./",
  publicDir: here("engine/public"),
  worker: { format: "es", rollupOptions: { output: { entryFileNames: "worker.js" } } },
  build: {
    outDir: here("../src/toile/web/page/engine"),
    // the types lie there already
    emptyOutDir: false,
    target: "es2022",
    lib: { entry: here("engine/src/index.ts"), formats: ["es"], fileName: () => "index.js" },
  },
});
