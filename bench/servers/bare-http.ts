import { createServer, type IncomingMessage } from 'node:http';
import { serve } from './ready.ts';

/** A minimal HTTP server for JSON. With a number as its argument it answers that many bytes; without one it echoes the body. */
const bytes = process.argv[2] === undefined ? undefined : Number(process.argv[2]);
const constant = bytes === undefined ? undefined : withHeaders(JSON.stringify({ constant: 'x'.repeat(bytes - '{"constant":""}'.length) }));

const server = createServer((request, response) => {
  collect(request, (body) => {
    const parsed: unknown = body === '' ? {} : JSON.parse(body);
    const { answer, headers } = constant ?? withHeaders(JSON.stringify(parsed));
    response.writeHead(200, headers);
    response.end(answer);
  });
});

function withHeaders(answer: string) {
  return { answer, headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(answer) } };
}

function collect(request: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(Buffer.concat(chunks).toString()));
}

serve(server);
