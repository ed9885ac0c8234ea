import { createServer } from 'node:http';
import { registerHooks } from 'node:module';
import express from 'express';
import { loadDrawing } from '../../command-line/output/drawings.ts';
import { createConsole } from '../../console/serve.ts';
import { listen } from '../../shared/process/fair-server.ts';

/** Requests the page of a console and the drawing of a report without esbuild, and prints the answers. */

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier !== 'esbuild') return next(specifier, context);
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  },
});

const config = { version: '0', production: false, adapters: { state: 'memory', events: 'memory' } };
const server = createServer(express().use(createConsole(() => config)));
const answer = await fetch(`${await listen(server, 0, '127.0.0.1')}/console/`);
const report = await loadDrawing('report').catch(({ message }: Error) => message);
process.stdout.write(
  JSON.stringify({ report, status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }),
);
server.closeAllConnections();
server.close();
