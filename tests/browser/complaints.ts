import type { Page } from 'playwright-core';

/** Collects what the page reports as an error. Refused requests are left out, because some tests provoke them. */
export function collectErrors(page: Page, complaints: string[] = []): string[] {
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  return complaints;
}
