// One page of every kind, as different readers meet it: light, dark, a narrow screen, forced colours, no JavaScript.

import { AxeBuilder } from "@axe-core/playwright";
import { withPage } from "./chromium.mjs";

export const WAYS = [
  { name: "light", options: { colorScheme: "light" } },
  { name: "dark", options: { colorScheme: "dark" } },
  { name: "320 px", options: { colorScheme: "light", viewport: { width: 320, height: 800 } } },
  { name: "forced colours", options: { forcedColors: "active" } },
];

async function axeProblems(page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.slice(0, 3).map((node) => `${id}: ${help} (${nodes.length} places) at ${node.target.join(" ")}: ${node.html.slice(0, 160)}`));
}

/** Elements that make the page scroll sideways; what scrolls inside a box of its own is fine. */
function sidewaysProblems() {
  const root = document.documentElement;
  const room = root.clientWidth;
  if (root.scrollWidth <= room && document.body.scrollWidth <= room) return [];
  const boxed = (element) => {
    for (let box = element.parentElement; box && box !== document.body; box = box.parentElement) {
      if (getComputedStyle(box).overflowX !== "visible") return true;
    }
    return false;
  };
  const wide = [...document.body.querySelectorAll("*")].filter(
    (element) => element.getBoundingClientRect().right > room + 1 && !boxed(element));
  const names = wide.slice(0, 4).map((element) => `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""} to ${Math.round(element.getBoundingClientRect().right)} px`);
  return [`the page is ${root.scrollWidth} px wide in ${room} px: ${names.join("; ")}`];
}

/** Everything that a page says: its numbers with their ids, and the words of its main part. */
function facts() {
  const number = (element) => {
    const value = element.getAttribute("value") ?? element.getAttribute("data-value");
    return `${element.getAttribute("data-n")} = ${value} "${element.textContent.trim()}"`;
  };
  const folded = (element) => element.closest("details:not([open])") !== null;
  const numbers = [...document.querySelectorAll("[data-n]")];
  const hidden = numbers.filter((element) => !folded(element) && !element.checkVisibility());
  const main = document.querySelector("main").cloneNode(true);
  for (const control of main.querySelectorAll("button,input,select,fieldset,legend,label,output,noscript,[role=status],[aria-live]")) {
    if (control.tagName === "BUTTON") control.replaceWith(control.textContent);
    else control.remove();
  }
  const texts = [];
  const walk = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) texts.push(walk.currentNode.data);
  return {
    numbers: numbers.map(number),
    hidden: hidden.map(number),
    words: texts.join(" ").split(/\s+/).filter(Boolean),
  };
}

function without(some, others) {
  const left = new Map();
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
  return some.filter((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count <= 0;
  });
}

async function sameWithoutJavaScript(browser, address, kind) {
  const scripted = await withPage(browser, {}, address, async (page) => page.evaluate(facts));
  const plain = await withPage(browser, { javaScriptEnabled: false }, address, async (page) => page.evaluate(facts));
  const problems = without(scripted.numbers, plain.numbers).map((fact) => `only with JavaScript: ${fact}`);
  problems.push(...plain.hidden.map((fact) => `in the page but not shown without JavaScript: ${fact}`));
  if (kind !== "verify") { // there a script writes what it found
    const lost = [...new Set(without([...new Set(scripted.words)], plain.words))];
    if (lost.length > 0) problems.push(`words only with JavaScript: ${lost.slice(0, 20).join(" ")}`);
  }
  return problems;
}

export async function readAsReadersDo(report, browser, origin, pages) {
  for (const { kind, address } of pages) {
    for (const way of WAYS) {
      await withPage(browser, way.options, origin + address, async (page, faults) => {
        await page.waitForLoadState("networkidle");
        const before = [...faults];
        await report.check(`quiet console, no CSP violation: ${kind}, ${way.name}`, async () => before);
        await report.check(`no sideways scrolling: ${kind}, ${way.name}`, () => page.evaluate(sidewaysProblems));
        await report.check(`axe finds nothing: ${kind}, ${way.name}`, () => axeProblems(page));
      }).catch((error) => report.check(`opens: ${kind}, ${way.name}`, async () => [error.message]));
    }
    await report.check(`every fact without JavaScript: ${kind}`, () => sameWithoutJavaScript(browser, origin + address, kind));
  }
}
