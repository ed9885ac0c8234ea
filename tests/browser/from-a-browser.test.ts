import { expect, test } from '@jest/globals';
import { serving } from '../conform/serving.ts';
import { sharedBrowser } from '../support/chromium.ts';
import { estate, newRehearsal } from '../support/estate.ts';
import { textOf } from '../support/tracked-files.ts';

const [, PAGE = ''] = /```html\n([\s\S]*?)^```$/m.exec(textOf('docs/how-to/own-service.md')) ?? [];

const browser = sharedBrowser();

test.each(['127.0.0.1', 'localhost'])(
  'The page of "From a browser" calls the estate from another port of %s and reads answers and a refusal',
  async (host) => {
    await using rehearsal = await newRehearsal();
    const html = PAGE.replace('http://127.0.0.1:8080', estate.gateway).replace("'my-shop'", `'${rehearsal.name}'`);
    await using server = await serving((_request, response) => response.setHeader('Content-Type', 'text/html; charset=utf-8').end(html));
    await using page = await (await browser()).newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`http://${host}:${new URL(server.url).port}/`);
    await Promise.race([page.locator('#refusal:not(:empty)').waitFor(), page.waitForEvent('pageerror')]);
    expect(complaints).toEqual([]);
    expect(await page.locator('#product').textContent()).toBe('Blue stoneware mug');
    expect(await page.locator('#basket').textContent()).toBe('25.98 EUR, version "1"');
    expect(await page.locator('#refusal').textContent()).toMatch(/^\d{3} \w+: /);
    expect(await rehearsal.journal()).toEqual(expect.arrayContaining([expect.objectContaining({ api: 'create-basket-api', status: 201 })]));
  },
);

test('A page of a forbidden origin cannot read an answer', async () => {
  await using page = await (await browser()).newPage();
  await page.route('http://shop.example/**', (route) => route.fulfill({ contentType: 'text/html', body: '<title>shop</title>' }));
  await page.goto('http://shop.example/');
  const read = (path: string) => page.evaluate<string>(`fetch('${estate.gateway}${path}').then(({ status }) => String(status), String)`);
  expect(await read('/products/mug-blue')).toMatch(/Failed to fetch/);
});
