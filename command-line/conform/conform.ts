import { Command, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { applications } from '../../shared/catalog/applications.ts';
import { NoAnswer } from '../../shared/contract/suites/bench.ts';
import type { Suite } from '../../shared/contract/suites/suite.ts';
import { suites } from '../../shared/contract/suites/suites.ts';
import { inOneLine } from '../../shared/domain/printable.ts';
import { type CallResult, type ConformOptions, checkCalls } from '../../shared/elsewhere/conform/checks.ts';
import { requireAnswer, type SystemOptions, systemOf } from '../../shared/elsewhere/conform/system.ts';
import { fits } from '../../shared/elsewhere/conform/verdict.ts';
import { Agent } from '../../shared/process/http-client.ts';
import { print, printJson } from '../../shared/process/terminal.ts';
import { addressOf, jsonOption } from '../connection/connection.ts';
import { CommandFailure, EXIT, misuse } from '../failure.ts';
import { withExample } from '../help.ts';
import { optionOf } from '../operations/member-option.ts';
import { lookOf, type Progress, progressOn } from '../output/table.ts';
import { prepareReportFile, writeReportFile } from '../rehearse/report/report.ts';
import { endProcess, type Interrupted, interruptions } from '../rehearse/supervision.ts';
import { hasEstateCode } from '../start/estate-code.ts';
import { headersIn, mappingOf } from './mapping.ts';
import { callsAsJson, recordedChecks, recordedScenario, scenariosAsJson, showCalls, showScenarios } from './result.ts';
import { runSwapped } from './scenarios.ts';

interface Options {
  readonly application: string;
  readonly url: string;
  readonly mapping?: string;
  readonly headersFile?: string;
  readonly timeoutMs: number;
  /** False with `--no-scenarios`. */
  readonly scenarios: boolean;
  readonly port: number;
  readonly junit?: string;
  readonly html?: string;
  readonly json?: boolean;
}

export function conformCommand(): Command {
  const timeout = {
    type: 'integer',
    minimum: 50,
    maximum: 10_000,
    default: 5_000,
    description: 'Wall time limit of each answer, in milliseconds.',
  };
  const port = {
    type: 'integer',
    minimum: 0,
    maximum: 65_535,
    description: 'Port of the estate that runs the scenarios, for a system that calls back.',
  };
  const command = new Command('conform')
    .description('Checks whether a real system can take the place of an application in a rehearsal.')
    .addOption(
      new Option('--application <name>', 'The application that the system replaces.')
        .choices(suites.map(({ application }) => application))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--url <url>', 'Address of the system. The path of each call follows it.')
        .argParser((text) => addressOf(text, 'system'))
        .makeOptionMandatory(),
    )
    .addOption(new Option('--mapping <file>', 'YAML with the ids and states of the system, and what it does not offer.'))
    .addOption(new Option('--headers-file <file>', 'Headers of each call, such as a credential: one Name: value per line.'))
    .addOption(optionOf({ path: ['timeoutMs'], schema: timeout, required: false, inRequiredPart: false }, {}).default(timeout.default))
    .addOption(new Option('--no-scenarios', 'Check the calls only, without running scenarios with the system.'))
    .addOption(optionOf({ path: ['port'], schema: port, required: false, inRequiredPart: false }, {}).default(0, 'any free port'))
    .addOption(new Option('--junit <file>', 'Write the checks as JUnit XML.'))
    .addOption(new Option('--html <file>', 'Write the checks as a page.'))
    .addOption(jsonOption())
    .addHelpText('after', `\n${suites.map(explained).join('\n\n')}`);
  return withExample(command, 'conform --application payment-hub --url http://127.0.0.1:4000').action(conform);
}

/** What a mapping may name. */
function explained({ application, ids, capabilities }: Suite): string {
  const listed = (heading: string, lines: readonly string[]): string => (lines.length === 0 ? '' : `${heading}:\n  ${lines.join('\n  ')}`);
  return [
    listed(
      `Ids in a mapping for ${application}`,
      Object.entries(ids).map(([name, { meaning, value }]) => `${name}: ${meaning}. Default: ${value}`),
    ),
    listed(
      `What the mapping for ${application} may list under notOffered, in addition to calls`,
      Object.entries(capabilities).map(([name, meaning]) => `${name}: ${meaning}`),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

async function conform({ application, url, timeoutMs, ...options }: Options): Promise<void> {
  const suite = suites.find((one) => one.application === application);
  if (!suite) throw new Error(`No suite checks ${application}.`);
  const [mapping, headers] = [mappingOf(suite, options.mapping), headersIn(options.headersFile)];
  if (options.scenarios && !hasEstateCode())
    throw misuse(
      'The estate itself is not installed, and the scenarios run in it. Install it, or check the calls only with --no-scenarios.',
    );
  for (const file of [options.junit, options.html]) if (file !== undefined) await prepareReportFile(file);
  const progress = progressOn(process.stderr);
  const signal = interruptions();
  signal.addEventListener('abort', () => endProcess((signal.reason as Interrupted).exitCode));
  const write = options.json ? undefined : print;
  const look = lookOf(process.stdout);
  const startedAt = Date.now();
  const results = await callResults({ suite, url, headers, timeoutMs, ...mapping, progress });
  write?.(`${look.style('bold', `${applications[suite.application].title} at ${inOneLine(url, 200)}`)}\n\n${showCalls(results, look)}\n\n`);
  // After a failed check, a scenario would fail for the same reason.
  const isReady = options.scenarios && results.every(fits);
  const { headersFile, port } = options;
  const swapped = { suite, url, timeoutMs, headersFile, port, ...mapping, look, progress, signal, write };
  const scenarios = isReady ? await runSwapped(swapped) : [];
  write?.(showScenarios(scenarios, look));
  const conforms = results.every(fits) && scenarios.every(({ outcome }) => outcome !== 'failed');
  const recorded = [...recordedChecks(results), ...scenarios.map(recordedScenario)];
  const run = { kind: 'conformance', scenarios: recorded, gateway: url, version: manifest.version, startedAt } as const;
  if (options.junit !== undefined) await writeReportFile('junit.xml', options.junit, run);
  if (options.html !== undefined) await writeReportFile('report.html', options.html, run);
  if (options.json) printJson({ conforms, application, url, calls: callsAsJson(results), scenarios: scenariosAsJson(scenarios) }, 2);
  const unchecked = results.flatMap(({ api, offer }) => (offer === 'unchecked' ? [api.name] : []));
  const doubt = unchecked.length > 0 ? ` Not checked: ${unchecked.join(', ')}.` : '';
  write?.(`${conforms ? look.style('green', 'It fits.') : look.style('red', 'It does not fit.')}${doubt}\n`);
  if (!conforms) process.exitCode = EXIT.fails;
}

type CallOptions = Omit<ConformOptions, 'system' | 'callOutside' | 'onCheck'> &
  Pick<SystemOptions['system'], 'headers' | 'timeoutMs'> & { readonly url: string; readonly progress: Progress };

async function callResults({ progress, url, headers, timeoutMs, ...options }: CallOptions): Promise<readonly CallResult[]> {
  const agent = new Agent();
  const system = systemOf(agent, { url, headers, timeoutMs });
  try {
    await requireAnswer(system).catch((error: Error) => {
      if (!(error instanceof NoAnswer)) throw error;
      const reason = error.message.replace(/^No answer: |[.]$/g, '');
      throw new CommandFailure(`No system answers at ${inOneLine(url, 200)}: ${reason}. Start it, or correct --url.`, EXIT.unreachable);
    });
    return await checkCalls({ ...options, ...system, onCheck: (api, title) => progress.show(`${api.name}: ${title}`) });
  } finally {
    progress.clear();
    await agent.destroy();
  }
}
