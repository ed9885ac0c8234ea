import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { applicationNames } from '../shared/catalog/applications.ts';
import { Swap, type SwappableApplication, swappableNames, unknownNames, whyNotSwappable } from '../shared/catalog/swap.ts';
import { IN_WORDS, mistakesIn } from '../shared/contract/issue-words.ts';
import { isMisspelt } from '../shared/domain/nearest-word.ts';
import { keepSecret } from '../shared/domain/redaction.ts';
import type { SeededSwap } from '../shared/work/swap/stored-swap.ts';
import { listenersAt } from './listeners-at.ts';
import { StartError } from './start-error.ts';

const SETTINGS = {
  URL: (name: string) => `Address of the real system that takes the place of ${name} in new rehearsals.`,
  MODE: (name: string) => `How the real system takes the place of ${name}. Default: real.`,
  HEADERS_FILE: (name: string) => `File with the headers for the real system of ${name}, one \`Name: value\` per line.`,
  TIMEOUT_MS: (name: string) => `Wall time limit for an answer of the real system of ${name}. Default: 5000.`,
  ANSWERS: (name: string) => `Folder with the kept answers of the real system of ${name}, for the mode kept: a file per operation.`,
  KEEP: (name: string) => `true: new rehearsals keep the answers of the real system of ${name}. Default: false.`,
  SHADOW: (name: string) => `In the mode shadow, reads: the real system of ${name} gets queries only. Default: all.`,
  COMPARE: (name: string) => `In the mode shadow: members whose texts and times are compared for ${name}, too, with commas between them.`,
  EVENTS: (name: string) => `none: the real system of ${name} gets no events from the estate. Default: post.`,
} as const;
type Setting = keyof typeof SETTINGS;
const settings = Object.keys(SETTINGS) as readonly Setting[];

/** The variable of a swap: `SWAP_PAYMENT_HUB_URL`. */
export const swapVariable = (application: SwappableApplication, setting: Setting): string =>
  `SWAP_${application.toUpperCase().replaceAll('-', '_')}_${setting}`;

export const swapVariables = Object.fromEntries(
  swappableNames.flatMap((application) =>
    settings.map((setting) => [swapVariable(application, setting), z.string().optional().describe(SETTINGS[setting](application))]),
  ),
);

/** The forms of the names, for a sentence about an unknown one. */
const swapVariableForms = settings.map((setting) => `SWAP_<APPLICATION>_${setting}`).join(', ');

type Given = Readonly<Record<string, unknown>>;

/** The applications that the variables swap in new rehearsals. @throws StartError with a line for each mistake, which names the variable */
export function configuredSwaps(given: Given): { readonly [App in SwappableApplication]?: SeededSwap } {
  const mistakes: string[] = [];
  const found = swappableNames.flatMap((application) => {
    const swap = swapIn(application, given, mistakes);
    return swap ? [[application, { ...swap, isDefault: true }] as const] : [];
  });
  if (mistakes.length > 0) throw new StartError(mistakes.join('\n'));
  keepSecret(found.flatMap(([, { headers }]) => Object.values(headers)));
  return Object.fromEntries(found);
}

function swapIn(application: SwappableApplication, given: Given, mistakes: string[]): Swap | undefined {
  const value = (setting: Setting): string | undefined => given[swapVariable(application, setting)] as string | undefined;
  const [idle] = settings.filter((setting) => setting !== 'URL' && value(setting) !== undefined);
  if (value('URL') === undefined && value('MODE') !== 'kept') {
    if (idle) mistakes.push(`${swapVariable(application, idle)} needs ${swapVariable(application, 'URL')}: set the address, or remove it.`);
    return undefined;
  }
  const file = value('HEADERS_FILE');
  const headers = file === undefined ? {} : headersIn(swapVariable(application, 'HEADERS_FILE'), file, mistakes);
  const folder = value('ANSWERS');
  const timeout = value('TIMEOUT_MS');
  const sent = {
    url: value('URL'),
    mode: value('MODE'),
    headers,
    timeoutMs: Number.isNaN(Number(timeout)) ? timeout : Number(timeout),
    events: value('EVENTS'),
    keep: { true: true, false: false }[value('KEEP') ?? 'false'] ?? value('KEEP'),
    shadow: value('SHADOW'),
    compare: value('COMPARE')
      ?.split(',')
      .map((name) => name.trim()),
    ...(folder !== undefined && { answers: answersIn(swapVariable(application, 'ANSWERS'), folder, mistakes) }),
  };
  const parsed = Swap.safeParse(sent, IN_WORDS);
  const unknown = parsed.success ? [...unknownNames(application, parsed.data)] : [];
  const own = parsed.success && isOwnAddress(parsed.data.url, given) ? [{ path: ['url'], message: OWN_ADDRESS }] : [];
  if (parsed.success && unknown.length === 0 && own.length === 0) return parsed.data;
  const found = [...mistakesIn(parsed.error?.issues ?? [])].map(({ path, detail }) => ({ path, message: detail }));
  for (const { path, message } of [...found, ...unknown, ...own]) {
    const setting = SETTING_OF[String(path[0])] ?? 'URL';
    const header = setting === 'HEADERS_FILE' && path[1] !== undefined ? ` has the header ${String(path[1])}` : '';
    mistakes.push(`${swapVariable(application, setting)}${header} cannot be used: ${message}`);
  }
  return undefined;
}

const OWN_ADDRESS = 'The estate listens there itself. Give the address of the real system.';

/** Whether the gateway of this estate has the address. */
function isOwnAddress(url: string | undefined, { HOST, GATEWAY_PORT }: Given): boolean {
  const [listener] = listenersAt(url === undefined ? [] : [url]);
  return listener !== undefined && listener.port === GATEWAY_PORT && (listener.host === undefined || listener.host === HOST);
}

/** Whether a name has the form of these variables: it names an application or a setting. */
export const isSwapName = (name: string): boolean =>
  name.startsWith('SWAP_') &&
  (applicationNames.some((one) => name.startsWith(`SWAP_${one.toUpperCase().replaceAll('-', '_')}_`)) ||
    settings.some((setting) => name.endsWith(`_${setting}`)));

/** A sentence about a variable with SWAP_ that is unknown. */
export function unknownSwapVariable(name: string): string {
  const [, words = ''] = new RegExp(`^SWAP_(.+)_(?:${settings.join('|')})$`).exec(name) ?? [];
  const application = words.toLowerCase().replaceAll('_', '-');
  const isKnown = applicationNames.some((known) => known === application);
  const meant = isKnown ? undefined : Object.keys(swapVariables).find((known) => isMisspelt(name, known));
  if (meant !== undefined) return `${name} is not a variable of the estate; did you mean ${meant}? Correct or remove it.`;
  const reason = words === '' ? `variables with SWAP_ are ${swapVariableForms}` : whyNotSwappable(application);
  return `${name} is not a variable of the estate; ${reason.replace(/^There/, 'there').replace(/\.$/, '')}. Correct or remove it.`;
}

const SETTING_OF: Readonly<Record<string, Setting>> = {
  url: 'URL',
  mode: 'MODE',
  headers: 'HEADERS_FILE',
  timeoutMs: 'TIMEOUT_MS',
  events: 'EVENTS',
  answers: 'ANSWERS',
  keep: 'KEEP',
  shadow: 'SHADOW',
  compare: 'COMPARE',
};

/** The headers in a file. Empty lines are left out. */
function headersIn(variable: string, file: string, mistakes: string[]): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    mistakes.push(`${variable}=${file} cannot be read: ${code === 'ENOENT' ? 'the file does not exist' : message}.`);
    return {};
  }
  const headers: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [, name, value] = /^([^\s:]+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      mistakes.push(`${variable}=${file}: line ${index + 1} is not a header like Name: value.`);
    else headers[name] = value;
  }
  return headers;
}

/** The answers in a folder, by the names of its files. */
function answersIn(variable: string, folder: string, mistakes: string[]): Record<string, unknown> {
  try {
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
    return Object.fromEntries(files.map((file) => [file.slice(0, -'.json'.length), JSON.parse(readFileSync(join(folder, file), 'utf8'))]));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    mistakes.push(`${variable}=${folder} cannot be read: ${code === 'ENOENT' ? 'the folder does not exist' : message}.`);
    return {};
  }
}

/** Whether a variable belongs to a swap. */
export const isOfSwap = (name: string): boolean => Object.hasOwn(swapVariables, name);
