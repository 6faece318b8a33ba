// Draws Graphviz files as SVG files beside them, because the registries of providers draw neither Graphviz nor Mermaid.
// Usage: node draw.mjs [--check] FILE.dot… With --check it changes nothing, and fails if an SVG file would change.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { instance } from "@viz-js/viz";

const viz = await instance();
const check = process.argv[2] === "--check";
for (const file of process.argv.slice(check ? 3 : 2)) {
  const svg = file.replace(/\.dot$/, ".svg");
  const drawn = viz.renderString(readFileSync(file, "utf8"), { format: "svg" });
  if (!check) {
    writeFileSync(svg, drawn);
  } else if (!existsSync(svg) || readFileSync(svg, "utf8") !== drawn) {
    console.error(`${svg} is not up to date: make pictures`);
    process.exitCode = 1;
  }
}
