import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser, sharedBrowser } from '../support/chromium.ts';
import { runEstate } from '../support/command.ts';
import { estate, eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { collectErrors } from './complaints.ts';
import { HOSTILE } from './console-tab.ts';
import { expectSoundInEveryLook } from './looks.ts';

describeInBrowser('A story as a file', () => {
  const browser = sharedBrowser();
  let rehearsal: TestRehearsal;
  let folder: string;
  let page: Page;
  let complaints: string[];
  let requested: string[];
  const address = (name: string) => pathToFileURL(join(folder, `${name}.html`)).href;

  const write = async (name: string, ...args: string[]) => {
    const { code, out, err } = await runEstate(['play', ...args], { ESTATE_REHEARSAL: rehearsal.name });
    expect([code, err]).toEqual([0, '']);
    await writeFile(join(folder, `${name}.html`), out);
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'story-'));
    rehearsal = await newRehearsal();
    const { id } = await rehearsal.confirmed();
    await rehearsal.settle();
    await rehearsal.api('create-customer-api', { body: { firstName: HOSTILE, lastName: '</script><b>', email: 'h@people.example' } });
    await write('order', 'order', id);
    await write('all');
  });
  afterAll(async () => {
    await rehearsal?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    page = await (await browser()).newPage({ reducedMotion: 'reduce' });
    complaints = collectErrors(page);
    requested = [];
    page.on('request', (request) => requested.push(request.url()));
  });
  afterEach(async () => {
    await page.close();
    expect(complaints).toEqual([]);
    expect(requested.filter((url) => !url.startsWith('file:') && !url.startsWith('blob:'))).toEqual([]);
    expect(new Set(requested.map((url) => url.split('#')[0])).size).toBe(1);
  });

  const isAt = (step: number) => page.locator(`[data-step="${step}"]`).waitFor();
  const reads = (text: string) => page.locator('[data-sentence]').filter({ hasText: text }).waitFor();

  test('A story file plays by its keys from the disk, without a request, and is sound in every look', async () => {
    await page.goto(address('order'));
    await reads('Your client calls the eCommerce Platform to create the basket');
    await expectSoundInEveryLook(page);
    for (const width of [360, 1600]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await isAt(1);
    await page.keyboard.press('ArrowRight');
    await page.getByText('basket locked').waitFor();
    await page.keyboard.press('ArrowLeft');
    await isAt(1);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: /^Pause/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Play/ }).waitFor();
    await page.keyboard.press('f');
    await eventually('the story fills the screen', () => page.evaluate<boolean>('document.fullscreenElement !== null'));
  });

  test('The fragment of a story file is its step', async () => {
    await page.goto(`${address('order')}#5`);
    await isAt(5);
    await page.getByRole('button', { name: /^Next/ }).click();
    expect(new URL(page.url()).hash).toMatch(/^#\d+$/);
    await page.evaluate("location.hash = '#3'");
    await isAt(3);
    await page.getByRole('link', { name: 'Open its trace' }).waitFor({ state: 'detached' });
  });

  test('The console saves a story as a file that plays from the disk, with hostile text as text', async () => {
    const play = await (await browser()).newPage({ reducedMotion: 'reduce' });
    await play.goto(`${estate.gateway}/console/r/${rehearsal.name}/play`);
    const button = play.getByRole('button', { name: 'Story as one file' });
    const [file] = await Promise.all([play.waitForEvent('download'), button.click()]);
    expect(file.suggestedFilename()).toBe(`rehearsal-${rehearsal.name}.html`);
    await file.saveAs(join(folder, 'saved.html'));
    await play.close();
    await page.goto(address('saved'));
    await reads('Your client calls');
    expect(await page.title()).toBe(`Story of rehearsal ${rehearsal.name}`);
    await page.keyboard.press('End');
    await page.getByText('to create the customer').waitFor();
    await page.getByText('<img src=x onerror=').first().waitFor();
    expect(await page.locator('img, b').count()).toBe(0);
    await expectSoundInEveryLook(page);
  });

  test('A story file shows hostile text as text', async () => {
    await page.goto(address('all'));
    await reads('Your client calls');
    await page.keyboard.press('End');
    await page.getByText('to create the customer').waitFor();
    await page.getByText('<img src=x onerror=').first().waitFor();
    expect(await page.locator('img, b').count()).toBe(0);
    expect(await page.title()).toBe(`Story of rehearsal ${rehearsal.name}`);
  });
});
