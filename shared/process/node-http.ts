import type * as http from 'node:http';

/**
 * HTTP of Node. The statement `import 'node:http'` would read every export of the module, WebSocket among them, and so load `fetch` and the
 * web streams: 4 MiB of memory and 50 ms of every start.
 */
export const { Agent, createServer, IncomingMessage, request, ServerResponse, STATUS_CODES }: typeof http =
  process.getBuiltinModule('node:http');
