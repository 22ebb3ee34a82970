import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// one script with everything in it, for pages that are one file
export default defineConfig({
  root: here("."),
  publicDir: false,
  worker: { format: "iife" },
  build: {
    outDir: here("../src/toile/web/page/single"),
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 1000,
    lib: { entry: here("player/single.ts"), formats: ["iife"], name: "toilePage", fileName: () => "page.js" },
  },
});
