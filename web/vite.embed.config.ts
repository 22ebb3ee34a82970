import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// everything that a merchant's own page needs in one module, with an example page beside it
export default defineConfig({
  root: here("embed"),
  base: "./",
  publicDir: here("embed/public"),
  build: {
    outDir: here("../src/toile/web/page/embed"),
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 1600,
    lib: { entry: here("embed/toile-try-on.ts"), formats: ["es"], fileName: () => "toile.js" },
    rollupOptions: { output: { codeSplitting: false } },
  },
});
