// Opens Markdown files in a browser as a page with KaTeX shows them, and prints what went wrong as JSON.
// Arguments: a folder with node_modules, the browser, then the files.
"use strict";
const fs = require("fs");
const path = require("path");
const [folder, browserPath, ...files] = process.argv.slice(2);
const modules = path.join(folder, "node_modules");
const MarkdownIt = require(path.join(modules, "markdown-it"));
const { chromium } = require(path.join(modules, "playwright-core"));

function inlineMath(state, silent) {
  const found = /^\$`([^`]+)`\$/.exec(state.src.slice(state.pos));
  if (!found) return false;
  if (!silent) state.push("math", "span", 0).content = found[1];
  state.pos += found[0].length;
  return true;
}

const markdown = new MarkdownIt();
markdown.inline.ruler.before("escape", "math", inlineMath);
const escape = markdown.utils.escapeHtml;
markdown.renderer.rules.math = (tokens, place) => `<span class="math">${escape(tokens[place].content)}</span>`;
const fence = markdown.renderer.rules.fence;
markdown.renderer.rules.fence = (tokens, place, ...others) =>
  tokens[place].info === "math"
    ? `<div class="math">${escape(tokens[place].content)}</div>`
    : fence(tokens, place, ...others);

// Runs in the page: renders all formulas, then looks at what is there: to measure each in turn lays out the page each time.
function inspect() {
  const errors = [];
  const wide = [];
  const formulas = [...document.querySelectorAll(".math")];
  const texts = formulas.map((element) => element.textContent);
  formulas.forEach((element, place) => {
    const strict = (code) => { errors.push(`${code}: ${texts[place]}`); return "ignore"; };
    try {
      katex.render(texts[place], element, { displayMode: element.tagName === "DIV", strict });
    } catch (error) {
      errors.push(error.message);
    }
  });
  formulas.forEach((element, place) => {
    const shown = element.querySelector(".katex-html");
    if (shown && element.tagName === "DIV" && element.scrollWidth > element.clientWidth) wide.push(texts[place]);
  });
  for (const element of document.querySelectorAll(".math, code")) element.replaceWith("");
  return { formulas: formulas.length, errors, wide, dollars: document.body.innerText.match(/.*\$.*/g) || [] };
}

async function main() {
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1012, height: 800 } });
  await page.setContent("<!doctype html><body></body>");
  await page.addStyleTag({ path: path.join(modules, "katex/dist/katex.min.css") });
  await page.addScriptTag({ path: path.join(modules, "katex/dist/katex.min.js") });
  const found = {};
  for (const file of files) {
    const body = markdown.render(fs.readFileSync(file, "utf-8"));
    await page.evaluate((html) => { document.body.innerHTML = html; }, body);
    found[path.basename(file)] = await page.evaluate(inspect);
  }
  await browser.close();
  console.log(JSON.stringify(found));
}

main();
