import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import type { Configuration } from '../../estate/configuration.ts';
import manifest from '../../package.json' with { type: 'json' };

const DOCKER_MS = 10_000;

/** Never a problem: `loaded-first.cjs` has refused an older Node. */
export const nodeVersion = (): Finding =>
  ok('Node', `${process.versions.node}; ${manifest.engines.node.replace('>=', '').replace(/\.0$/, '')} or newer is needed`);

/** Checks that a port can be opened. A port of the running estate passes. */
export async function portFinding(
  what: string,
  variable: string,
  host: string,
  port: number,
  ownPorts: ReadonlySet<number>,
): Promise<Finding> {
  if (ownPorts.has(port)) return ok(what, `${port}, used by the running estate`);
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return ok(what, port === 0 ? 'any free one' : `${port} is free`);
  } catch (error) {
    const { code } = error as { code?: string };
    const why = { EADDRINUSE: 'is taken by another program', EACCES: 'may not be opened by this user' }[code ?? ''] ?? 'cannot be opened';
    return problem(what, `${port} ${why}`, `Free it, or choose another one with ${variable}.`);
  } finally {
    server.close();
  }
}

export async function dockerFinding(): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: DOCKER_MS });
    return ok('Docker', `engine ${stdout.trim()}`);
  } catch (error) {
    const isMissing = (error as { code?: string }).code === 'ENOENT';
    const found = isMissing ? 'not installed' : 'installed, but its engine does not answer';
    return note('Docker', found, 'Only compose, Testcontainers and the container tests need it.');
  }
}

export const portsOf = ({ HOST, GATEWAY_PORT, TOUCHPOINT_PORT, PORTAL_HOST, PORTAL_PORT }: Configuration) =>
  [
    ['Gateway port', 'GATEWAY_PORT', HOST, GATEWAY_PORT],
    ['Touchpoint port', 'TOUCHPOINT_PORT', HOST, TOUCHPOINT_PORT],
    ['Portal port', 'PORTAL_PORT', PORTAL_HOST, PORTAL_PORT],
  ] as const;

export interface Finding {
  readonly what: string;
  /** `note`: nothing is wrong, but a feature cannot be used. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly found: string;
  readonly remedy?: string;
}

export const ok = (what: string, found: string): Finding => ({ what, state: 'ok', found });
export const note = (what: string, found: string, remedy?: string): Finding => ({ what, state: 'note', found, remedy });
export const problem = (what: string, found: string, remedy: string): Finding => ({ what, state: 'problem', found, remedy });
