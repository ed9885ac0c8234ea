import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { drawProduct, readPictures } from '../../gateway/pictures/product-picture.ts';
import { estate, newRehearsal } from '../support/estate.ts';
import { sharedIn } from '../support/test-in.ts';

const rehearsal = sharedIn(newRehearsal);

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') => fetch(`${estate.gateway}${path}`, { method, headers });
/** Drawings of kinds of products. */
const FOLDER = new URL('../../fixtures/pictures/', import.meta.url);
const MUG = '/media/products/mug-blue.svg';

test('The media of every product of the fixtures are pictures that the gateway serves, with the name of the product', async () => {
  let cursor: string | undefined;
  const pictures = new Set<string>();
  do {
    const page = await rehearsal.api('list-products-api', { query: { limit: '100', cursor } });
    cursor = page.nextCursor;
    for (const { name, media } of page.items) {
      const answer = await get(media[0]?.url ?? '');
      expect([name, answer.status, answer.headers.get('content-type')]).toEqual([name, 200, 'image/svg+xml']);
      const svg = await answer.text();
      expect(svg).toContain(`>${name.replaceAll('&', '&amp;')}</text>`);
      pictures.add(svg);
    }
    expect(pictures.size).toBeGreaterThan(30);
  } while (cursor !== undefined);
});

test('A picture is cacheable for requests of the same origin, and its tag saves the transfer', async () => {
  const first = await get(MUG);
  expect(first.headers.get('cache-control')).toBe('public, max-age=3600');
  expect(first.headers.get('vary')).toContain('Origin');
  const again = await get(MUG, { 'if-none-match': first.headers.get('etag') ?? '', 'cache-control': 'max-age=0' });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('A page of another origin may show and read a picture, and the picture loads nothing', async () => {
  const { headers } = await get(MUG, { origin: 'http://localhost:5173' });
  expect(headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; frame-ancestors 'none'$/);
});

test('A product that the fixtures do not have is drawn by the words of its SKU', async () => {
  expect(await (await get('/media/products/desk-of-my-own.svg')).text()).toContain('>Desk of my own</text>');
});

test.each([
  '/media/products/mug-blue',
  '/media/products/mug-blue.png',
  '/media/products/..svg',
  '/media/products/a%20b.svg',
  '/media/products/',
])('Nothing is at %s', async (path) => expect((await get(path)).status).toBe(404));

test('A picture cannot be changed', async () => {
  const { status, headers } = await get(MUG, {}, 'PUT');
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('The text of a picture is escaped, and no reference leaves it', async () => {
  const svg = drawProduct(await readPictures(), 'x', '<script>alert("1")</script> & \u0000 \ud800 more');
  expect(svg).not.toContain('<script');
  expect(svg).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; ? ? more');
  expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|href|url\(|@import/);
});

test('Every drawing of the fixtures belongs to a kind of product, loads nothing, and gets its colours', async () => {
  const pictures = await readPictures();
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.svg'));
  expect(pictures.kinds.map(({ picture }) => `${picture}.svg`).toSorted()).toEqual(files.toSorted());
  for (const { picture, words } of pictures.kinds) {
    const written = await readFile(new URL(`${picture}.svg`, FOLDER), 'utf8');
    expect([picture, written.match(/<(?!\/|(?:svg|g|path|rect|circle|ellipse) )|href|url\(|\son\w+=/g)]).toEqual([picture, null]);
    const drawn = drawProduct(pictures, 'x', words[0] ?? 'thing of no kind');
    expect(drawn).toContain('="hsl(');
    expect([picture, drawn.match(/var\(|undefined/g)]).toEqual([picture, null]);
  }
});
