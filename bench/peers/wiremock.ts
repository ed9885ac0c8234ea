import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort } from '../child-process.ts';
import { fixture, PATH, request } from '../touchpoint.ts';
import { type Peer, type Server, STATIC_ANSWER, STATIC_PATH } from './exchanges.ts';
import { cachedFile, startProgram, temporaryFolder } from './program.ts';

const VERSION = '3.13.2';
const JAR = `https://repo1.maven.org/maven2/org/wiremock/wiremock-standalone/${VERSION}/wiremock-standalone-${VERSION}.jar`;
/** Published by Maven Central beside the file. */
const SHA256 = 'd097b19bd483c5038479b13a5c71e9faf8f2f5106584f0c120a7770ab0bdb367';
/** The options that its documentation recommends for performance tests. */
const QUIET = ['--no-request-journal', '--disable-request-logging', '--disable-banner'];

export const wiremock: Peer = {
  name: 'WireMock',
  version: VERSION,
  async install() {
    await promisify(execFile)('java', ['-version']).catch(() => {
      throw new Error('there is no Java.');
    });
    const jar = await cachedFile(JAR, SHA256);
    return { name: 'WireMock', start: () => start(jar) };
  },
};

async function start(jar: string): Promise<Server> {
  const folder = await temporaryFolder({ 'mappings/stubs.json': { mappings: [caseTwo, staticGet] } });
  const port = await freePort();
  const args = ['-jar', jar, '--port', String(port), '--bind-address', '127.0.0.1', '--root-dir', folder.path, ...QUIET];
  return startProgram({ name: 'WireMock', command: 'java', args, port, cleanUp: folder.remove });
}

const jsonResponse = (body: unknown) => ({ status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });

const caseTwo = {
  request: {
    method: request.method,
    urlPath: PATH,
    headers: { Authorization: { equalTo: request.headers.authorization }, 'X-Mock-Case': { equalTo: request.headers['x-mock-case'] } },
    bodyPatterns: [{ matchesJsonPath: { expression: '$.touchpointId', equalTo: fixture.request['touchpointId'] } }],
  },
  response: jsonResponse(fixture.response),
};

const staticGet = { request: { method: 'GET', urlPath: STATIC_PATH }, response: jsonResponse(STATIC_ANSWER) };
