import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// one entry a page; all of them share the engine and the viewer
const pages = ["player", "shop", "studio"].filter((name) => existsSync(here(`${name}/index.html`)));

// addresses stay relative, so that the folder can be put anywhere
export default defineConfig({
  root: here("."),
  base: "./",
  publicDir: false,
  worker: { format: "es" },
  build: {
    outDir: here("../src/toile/web/page"),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    rollupOptions: {
      input: { ...Object.fromEntries(pages.map((name) => [name, here(`${name}/index.html`)])), offline: here("shop/src/offline.ts") },
      // a service worker governs what lies below it: it stands at the top, under a name that stays
      output: { entryFileNames: (chunk) => (chunk.name === "offline" ? "offline.js" : "assets/[name]-[hash].js"), manualChunks: (id) => (id.includes("node_modules/three/") ? "three" : undefined) },
    },
  },
});
