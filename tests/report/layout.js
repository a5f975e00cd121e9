// Opens HTML pages in a browser, wide and light and as a dark telephone, and prints what their layout is as JSON.
// Arguments: a folder with node_modules, the browser, then the files.
"use strict";
const path = require("path");
const [folder, browserPath, ...files] = process.argv.slice(2);
const { chromium } = require(path.join(folder, "node_modules", "playwright-core"));

// Runs in the page: heights, whether it scrolls sideways, and the smallest text in sight.
function inspect() {
  let smallest = Infinity;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || /^(style|title)$/i.test(element.tagName)) continue;
    if (!element.checkVisibility()) continue;  // in a closed fold
    const scale = element.closest("svg") ? element.getScreenCTM().a : 1;
    smallest = Math.min(smallest, scale * parseFloat(getComputedStyle(element).fontSize));
  }
  const root = document.documentElement;
  const first = document.querySelector(".first").getBoundingClientRect().bottom;
  return { first, page: root.scrollHeight, sideways: root.scrollWidth > root.clientWidth, smallest };
}

// Runs in the page: how many steps are in sight.
function steps() {
  return [...document.querySelectorAll(".open > .steps > li")].filter((step) => step.checkVisibility()).length;
}

async function main() {
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  const found = {};
  for (const [width, colorScheme] of [[1200, "light"], [390, "dark"]]) {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
    const page = await context.newPage();
    found[width] = {};
    for (const file of files) {
      await page.goto(`file://${file}`);
      const layout = { ...(await page.evaluate(inspect)), steps: await page.evaluate(steps) };
      await page.emulateMedia({ media: "print" });
      found[width][path.basename(file)] = { ...layout, printed: await page.evaluate(steps) };
      await page.emulateMedia({ media: "screen" });
    }
  }
  await browser.close();
  console.log(JSON.stringify(found));
}

main();
