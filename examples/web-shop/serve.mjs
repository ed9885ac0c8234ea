// Serves the shop from its own origin. Usage: node serve.mjs [port]
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const TYPES = { html: 'text/html; charset=utf-8', css: 'text/css', js: 'text/javascript' };
const FILES = [
  'index.html',
  'shop.css',
  ...['shop', 'products', 'basket', 'collect', 'order', 'parts', 'page', 'estate'].map((name) => `${name}.js`),
];

const server = createServer(async ({ url }, response) => {
  const name = new URL(url, 'http://shop').pathname.slice(1) || 'index.html';
  if (!FILES.includes(name)) return response.writeHead(404).end();
  response.setHeader('Content-Type', TYPES[name.split('.').at(-1)]);
  response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('Content-Security-Policy', "default-src 'self'; connect-src http: https:; img-src http: https: data:");
  response.end(await readFile(new URL(name, import.meta.url)));
});

server.on('error', ({ message }) => {
  process.stderr.write(`${message}. Give another port: node serve.mjs 5174\n`);
  process.exitCode = 1;
});
server.listen(Number(process.argv[2] ?? 5173), '127.0.0.1', () => {
  process.stdout.write(`The shop is at http://localhost:${server.address().port}/\n`);
});
