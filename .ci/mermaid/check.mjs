// Parses Mermaid diagrams with Mermaid's own parser: whole files (*.mmd), and the blocks of language "mermaid" in Markdown files (*.md).
// Usage: node check.mjs FILE… Names each diagram that can't be parsed, and then fails.
import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";

// Mermaid cleans texts with a library that wants a browser's document.
const { window } = new JSDOM("");
Object.assign(globalThis, { window, document: window.document });
const { default: mermaid } = await import("mermaid");

function diagrams(file) {
  const text = readFileSync(file, "utf8");
  if (!file.endsWith(".md")) {
    return [{ where: file, text }];
  }
  return [...text.matchAll(/^([ \t]*)```mermaid\s*\n([\s\S]*?)^\1```/gm)].map((block) => ({
    where: `${file}:${text.slice(0, block.index).split("\n").length}`,
    text: block[2],
  }));
}

let broken = 0;
const all = process.argv.slice(2).flatMap(diagrams);
for (const { where, text } of all) {
  try {
    await mermaid.parse(text);
  } catch (error) {
    broken++;
    console.error(`${where}: ${error.message ?? error}`);
  }
}
console.log(`${all.length} diagrams, ${broken} of them can't be parsed`);
process.exitCode = broken > 0 ? 1 : 0;
