import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../support/free-port.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const MEBIBYTES_OF_OUTPUT = 64 * 1_048_576;

export interface ComposeOptions {
  /** The image of the estate. It is used as it is, without a build. */
  readonly image: string;
  readonly files?: readonly string[];
  readonly profiles?: readonly string[];
}

/** The compose file under a new name and on free ports, so that it can run beside another one. */
export async function composeProject({ image, files = ['docker-compose.yml'], profiles = [] }: ComposeOptions) {
  const name = `estate-test-${randomUUID().slice(0, 8)}`;
  const ports = {
    gateway: await freePort(),
    touchpoint: await freePort(),
    portal: await freePort(),
    kafka: await freePort(),
    redis: await freePort(),
  };
  const env = {
    ...process.env,
    GATEWAY_PORT: String(ports.gateway),
    TOUCHPOINT_PORT: String(ports.touchpoint),
    PORTAL_PORT: String(ports.portal),
    BROKER_PORT: String(ports.kafka),
    DEBUG_REDIS_PORT: String(ports.redis),
  };
  const named = (option: string, values: readonly string[]) => values.flatMap((value) => [option, value]);
  const before = ['compose', '--project-name', name, ...named('--file', files), ...named('--profile', profiles)];
  const composeWith = async (ESTATE_IMAGE: string, ...args: readonly string[]): Promise<string> => {
    const options = { cwd: PROJECT, env: { ...env, ESTATE_IMAGE }, maxBuffer: MEBIBYTES_OF_OUTPUT };
    return (await promisify(execFile)('docker', [...before, ...args], options)).stdout;
  };
  const compose = (...args: readonly string[]): Promise<string> => composeWith(image, ...args);

  return {
    name,
    ports,
    gateway: `http://127.0.0.1:${ports.gateway}`,
    image,
    compose,
    /** Runs a command of compose with another image of the estate. */
    composeWith,
    containers: async (service: string): Promise<readonly string[]> =>
      (await compose('ps', '--quiet', service)).split('\n').filter(Boolean),
    down: () => compose('down', '--volumes', '--timeout', '5'),
  };
}

export type ComposeProject = Awaited<ReturnType<typeof composeProject>>;

export const docker = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)('docker', [...args], { maxBuffer: MEBIBYTES_OF_OUTPUT })).stdout.trim();
