import { readFileSync } from 'node:fs';
import { type Child, startChild } from './child-process.ts';

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { scripts: Record<string, string> };
/** Node arguments of `npm start`, so that the benchmark measures the same configuration. */
const flags = /node (.*) estate\/main\.ts/.exec(scripts['start'] ?? '')?.[1]?.split(' ') ?? [];

/** The API key of the touchpoint mock. */
export const STORE_KEY = 'demo-store-key';

export interface EstateOptions {
  /** A single service; the whole estate when omitted. */
  readonly service?: string;
  readonly reportsUsage?: boolean;
  readonly preloads?: readonly string[];
  readonly profiles?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

/** The estate as `npm start` starts it, on free ports. */
export function startEstate({ service, env, ...options }: EstateOptions = {}): Promise<Child> {
  return startChild('estate/main.ts', {
    ...options,
    flags,
    env: {
      GATEWAY_PORT: '0',
      TOUCHPOINT_PORT: '0',
      PORTAL_PORT: '0',
      LOG_LEVEL: 'warn',
      MOCK_STORE_KEY: STORE_KEY,
      MOCK_LANES: 'SCO-01',
      ...(service !== undefined && { SERVICE: service }),
      ...env,
    },
  });
}
