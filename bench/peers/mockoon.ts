import { join } from 'node:path';
import { freePort } from '../child-process.ts';
import { fixture, PATH, request } from '../touchpoint.ts';
import { type Peer, type Server, STATIC_ANSWER, STATIC_PATH } from './exchanges.ts';
import { cachedPackage, startProgram, temporaryFolder } from './program.ts';

const VERSION = '9.9.0';
/** Mockoon has no quieter log level. `--repair` completes the environment with Mockoon's defaults. */
const OPTIONS = ['--repair', '--disable-log-to-file', '--disable-admin-api'];

export const mockoon: Peer = {
  name: 'Mockoon',
  version: VERSION,
  async install() {
    const folder = await cachedPackage('@mockoon/cli', VERSION);
    return { name: 'Mockoon', start: () => start(join(folder, 'bin/run.js')) };
  },
};

async function start(script: string): Promise<Server> {
  const folder = await temporaryFolder({ 'environment.json': environment });
  const port = await freePort();
  const listening = ['--port', String(port), '--hostname', '127.0.0.1'];
  const args = [script, 'start', '--data', join(folder.path, 'environment.json'), ...listening, ...OPTIONS];
  return startProgram({ name: 'Mockoon', command: process.execPath, args, port, cleanUp: folder.remove });
}

const json = [{ key: 'Content-Type', value: 'application/json' }];
const fixed = (body: unknown) => ({ body: JSON.stringify(body), headers: json, disableTemplating: true });
const rule = (target: 'header' | 'body', modifier: string, value: unknown) => ({ target, modifier, value, operator: 'equals' });

const environment = {
  name: 'Touchpoint',
  routes: [
    {
      uuid: '5e0a1c52-7d0e-4a36-9a55-0c0f2c3c0b01',
      type: 'http',
      method: 'post',
      endpoint: PATH.slice(1),
      responses: [
        {
          ...fixed(fixture.response),
          rulesOperator: 'AND',
          rules: [
            rule('header', 'Authorization', request.headers.authorization),
            rule('header', 'X-Mock-Case', request.headers['x-mock-case']),
            rule('body', 'touchpointId', fixture.request['touchpointId']),
          ],
        },
        { ...fixed({ error: 'Touchpoint authorization denied' }), statusCode: 403, default: true },
      ],
    },
    {
      uuid: '5e0a1c52-7d0e-4a36-9a55-0c0f2c3c0b02',
      type: 'http',
      method: 'get',
      endpoint: STATIC_PATH.slice(1),
      responses: [{ ...fixed(STATIC_ANSWER), default: true }],
    },
  ],
  rootChildren: [
    { type: 'route', uuid: '5e0a1c52-7d0e-4a36-9a55-0c0f2c3c0b01' },
    { type: 'route', uuid: '5e0a1c52-7d0e-4a36-9a55-0c0f2c3c0b02' },
  ],
};
