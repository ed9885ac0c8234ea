import { join } from 'node:path';
import { freePort } from '../child-process.ts';
import { fixture, PATH, request } from '../touchpoint.ts';
import { type Peer, type Server, STATIC_ANSWER, STATIC_PATH } from './exchanges.ts';
import { cachedPackage, startProgram, temporaryFolder } from './program.ts';

const VERSION = '5.16.0';

export const prism: Peer = {
  name: 'Prism',
  version: VERSION,
  async install() {
    const folder = await cachedPackage('@stoplight/prism-cli', VERSION);
    return { name: 'Prism', start: () => start(join(folder, 'dist/index.js')) };
  },
};

async function start(script: string): Promise<Server> {
  const folder = await temporaryFolder({ 'openapi.json': openapi });
  const port = await freePort();
  const args = [
    script,
    'mock',
    '--port',
    String(port),
    '--host',
    '127.0.0.1',
    '--verboseLevel',
    'silent',
    join(folder.path, 'openapi.json'),
  ];
  return startProgram({ name: 'Prism', command: process.execPath, args, port, cleanUp: folder.remove });
}

const jsonExample = (example: unknown) => ({ description: 'A fixed answer', content: { 'application/json': { example } } });

/** Prism requires credential, selector and lane, because the document does. */
const openapi = {
  openapi: '3.0.3',
  info: { title: 'Touchpoint', version: '1' },
  components: { securitySchemes: { store: { type: 'http', scheme: 'bearer' } } },
  paths: {
    [PATH]: {
      post: {
        security: [{ store: [] }],
        parameters: [
          { name: 'X-Mock-Case', in: 'header', required: true, schema: { type: 'string', enum: [request.headers['x-mock-case']] } },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['touchpointId'],
                properties: { touchpointId: { type: 'string', enum: [fixture.request['touchpointId']] } },
              },
            },
          },
        },
        responses: { 200: jsonExample(fixture.response) },
      },
    },
    [STATIC_PATH]: { get: { responses: { 200: jsonExample(STATIC_ANSWER) } } },
  },
};
