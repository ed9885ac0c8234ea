import { accessSync, constants } from 'node:fs';
import { afterAll, describe } from '@jest/globals';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-component-update',
  '--disable-sync',
];

function isInstalled(): boolean {
  try {
    accessSync(CHROMIUM, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A `describe` that is skipped, loudly, without Chromium. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (isInstalled()) {
    describe(name, tests);
    return;
  }
  // biome-ignore lint/suspicious/noConsole: a test that did not run must not look like one that passed
  console.warn(`SKIPPED: ${name} needs Chromium at ${CHROMIUM} (Debian: apt-get install chromium).`);
  describe.skip(name, tests);
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ARGS });
}

/** One browser for the tests of a file, launched by the first that needs it. */
export function sharedBrowser(): () => Promise<Browser> {
  let browser: Promise<Browser> | undefined;
  afterAll(async () => (await browser)?.close());
  return () => {
    browser ??= launchChromium();
    return browser;
  };
}
