// Starts the machine's Chromium, and opens pages that report what went wrong while they loaded.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

export const CHROMIUM = process.env.TSBENCH_CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

// No sandbox, since scripts run as root in containers; nothing but the site on loopback is opened.
export const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

export function launch() {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** Open an address in a context of its own. `look` gets (page, faults); the context is closed after it. */
export async function withPage(browser, options, address, look) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const faults = [];
  try {
    await context.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) =>
        console.error(`CSP: ${event.violatedDirective} blocked ${event.blockedURI} at ${event.sourceFile}:${event.lineNumber}`));
    });
    const page = await context.newPage();
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) faults.push(`console ${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => faults.push(`script error: ${error.message}`));
    page.on("requestfailed", (request) => faults.push(`request failed: ${request.url()} ${request.failure()?.errorText}`));
    page.on("response", (reply) => {
      if (reply.status() >= 400 && reply.url() !== address) faults.push(`status ${reply.status()}: ${reply.url()}`);
    });
    await page.goto(address, { waitUntil: "load", timeout: 120_000 }); // a busy machine is slow, not wrong
    return await look(page, faults);
  } finally {
    await context.close();
  }
}
