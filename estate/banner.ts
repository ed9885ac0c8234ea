import { styled } from '../shared/process/terminal.ts';
import type { RunningEstate } from './estate.ts';

/** A clone runs TypeScript and has npm scripts; the package has JavaScript and the command. */
const REHEARSE = import.meta.url.endsWith('.ts') ? 'npm run rehearse --' : 'npx estate rehearse';

/** The text for a person when the estate is ready: what runs where, credentials, the next command, and how to stop. */
export function banner(estate: RunningEstate, startedInMs: number): string {
  const { console: pages, gateway, touchpoint, portal } = estate;
  const rows = [
    row('Console', pages, 'who calls whom, what happened and why: open it in a browser'),
    row('Gateway', gateway, 'the APIs; OpenAPI at /openapi.json, the control plane at /_control'),
    row('Touchpoint', touchpoint, `a self-checkout lane to test against; its portal ${portal}`),
    row('Credentials', acceptedBy(estate)),
    row('Next', `${REHEARSE} --against ${gateway}`, 'plays every scenario, step by step'),
  ];
  const title = styled('bold', 'Unified commerce estate');
  const lines = [
    `${title}, ready in ${(startedInMs / 1_000).toFixed(1)} s. ${keptWhere(estate)} Stop with Ctrl-C.`,
    ...rows.filter((line) => line !== ''),
  ];
  return `\n${lines.map((line) => `  ${line}\n`).join('')}\n`;
}

const row = (name: string, value: string | undefined, what = ''): string =>
  value === undefined ? '' : `${styled('cyan', name.padEnd(11))}  ${what === '' ? value : `${value.padEnd(34)}  ${styled('dim', what)}`}`;

function keptWhere({ adapters: { state, events } }: RunningEstate): string {
  if (state === 'memory' && events === 'memory') return 'All data is in memory.';
  const kept = `State in ${state}, events in ${events}`;
  // A store that outlives the process has the events, too.
  return state === 'memory' ? `${kept}: the state is lost at the end.` : `${kept}.`;
}

function acceptedBy({ demo: { integration, apiKey, control } }: RunningEstate): string {
  const known = [
    integration && `Bearer ${integration} (APIs)`,
    apiKey && `X-API-Key ${apiKey} (carrier)`,
    control && `Bearer ${control} (control plane)`,
  ].filter((credential) => credential !== undefined);
  return [...known, ...(known.length < 3 ? ['credentials.json in the folder FIXTURES_DIR'] : [])].join(', ');
}
