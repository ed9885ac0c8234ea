import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { runScenario } from './runner.ts';
import type { Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { terminalReport } from './terminal-report.ts';

interface Options {
  readonly against?: string;
  readonly bearer: string;
  readonly apiKey: string;
  readonly admin: string;
  readonly all?: boolean;
  readonly list?: boolean;
}

const command = new Command()
  .name('rehearse')
  .description('Runs scenarios against an estate, each in a rehearsal of its own; the first one when none is named.')
  .argument('[scenario...]', `one or more of: ${scenarios.map(({ name }) => name).join(', ')}; flow-1 to flow-8: those of a flow`)
  .option('--against <url>', 'address of a running gateway; without it an estate is started and ended again')
  .option('--all', 'every scenario')
  .option('--list', 'list the scenarios')
  .option('--bearer <token>', 'credential for the APIs', 'demo-integration-token')
  .option('--api-key <key>', 'credential for the carrier’s APIs', 'demo-carrier-key')
  .option('--admin <token>', 'credential for the simulation plane', 'demo-sim-admin')
  .action(rehearse);

async function rehearse(names: readonly string[], options: Options): Promise<void> {
  const write = (text: string): void => void process.stdout.write(text);
  if (options.list) {
    for (const { name, title, flows } of scenarios)
      write(`${name.padEnd(22)} ${`flow ${flows.join(', ')}`.slice(0, flows.length > 0 ? 16 : 0).padEnd(16)} ${title}\n`);
    return;
  }
  const isAsked = ({ name, flows }: Scenario): boolean => names.includes(name) || flows.some((flow) => names.includes(`flow-${flow}`));
  const unknown = names.filter(
    (name) => !scenarios.some((scenario) => scenario.name === name || scenario.flows.some((flow) => name === `flow-${flow}`)),
  );
  if (unknown.length > 0)
    command.error(`There is no scenario ${unknown.join(', ')}; there are ${scenarios.map(({ name }) => name).join(', ')}.`, {
      exitCode: 64,
    });
  const chosen = options.all ? scenarios : names.length > 0 ? scenarios.filter(isAsked) : scenarios.slice(0, 1);
  const own = options.against === undefined ? await startEstate() : undefined;
  const gateway = (options.against ?? own?.gateway ?? '').replace(/\/$/, '');
  const failed: string[] = [];
  try {
    await reachable(gateway);
    for (const scenario of chosen) {
      const passed = await runScenario(scenario, { ...options, gateway, report: terminalReport(write) }).catch((error: unknown) => {
        write(`\n${scenario.title}\n  failed ${error instanceof Error ? error.message : String(error)}\n`);
        return false;
      });
      if (!passed) failed.push(scenario.name);
    }
  } finally {
    await own?.stop();
  }
  write(`\n${chosen.length - failed.length} of ${chosen.length} passed${failed.length > 0 ? `; failed: ${failed.join(', ')}` : ''}\n`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

async function reachable(gateway: string): Promise<void> {
  const answer = await fetch(`${gateway}/readyz`).catch(() => undefined);
  if (!answer?.ok)
    command.error(
      `No estate is ready at ${gateway}: ${answer ? `it answers ${answer.status}` : 'nothing answers there'}. Start one with npm start.`,
      { exitCode: 69 },
    );
}

/** Starts an estate on free ports for this run. */
async function startEstate(): Promise<{ gateway: string; stop(): Promise<void> }> {
  // In the package, the estate's entry file is JavaScript and has this file's extension.
  const main = fileURLToPath(new URL(`../estate/main${extname(import.meta.url)}`, import.meta.url));
  const child: ChildProcess = fork(main, [], {
    env: { ...process.env, GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0', LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error' },
  });
  const ended = once(child, 'exit');
  const ready = await Promise.race([once(child, 'message'), ended.then(() => undefined)]);
  if (!ready) command.error('The estate could not be started; its own message stands above.', { exitCode: 1 });
  const [{ gateway }] = ready as [{ gateway: string }];
  return {
    gateway,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

await command.parseAsync();
