import type { Page } from 'playwright-core';

/** Errors of requests that a test provokes, and of a header that browsers apply only with TLS or on this machine. */
const EXPECTED = /^(Failed to load resource|The Cross-Origin-Opener-Policy header has been ignored)/;

/** Collects what the page reports as an error. */
export function collectErrors(page: Page, complaints: string[] = []): string[] {
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !EXPECTED.test(message.text())) complaints.push(message.text());
  });
  return complaints;
}
