import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Swap, type SwappableApplication, swappableNames, unknownNames } from '../shared/catalog/swap.ts';
import { type SwapSetting, swapSettings, swapVariable } from '../shared/configuration/swap-variables.ts';
import { IN_WORDS, mistakesIn } from '../shared/contract/issue-words.ts';
import { keepSecret } from '../shared/domain/redaction.ts';
import { errorMessage } from '../shared/domain/text.ts';
import type { SeededSwap } from '../shared/elsewhere/swap/stored-swap.ts';
import { readTextWithin } from '../shared/process/bounded-file.ts';
import { mostDataInHeap } from '../shared/process/heap.ts';
import { listenersAt } from './listeners-at.ts';
import { StartError } from './start-error.ts';

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
  const value = (setting: SwapSetting): string | undefined => given[swapVariable(application, setting)] as string | undefined;
  const [idle] = swapSettings.filter((setting) => setting !== 'URL' && value(setting) !== undefined);
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

const SETTING_OF: Readonly<Record<string, SwapSetting>> = {
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

const HEADERS_BYTES = 65_536;

/** The headers in a file. Empty lines are left out. */
function headersIn(variable: string, file: string, mistakes: string[]): Record<string, string> {
  let text: string;
  try {
    text = readTextWithin(file, { most: HEADERS_BYTES });
  } catch (error) {
    mistakes.push(`${variable}=${file} cannot be read: ${errorMessage(error)}.`);
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
    let { bytes: most } = mostDataInHeap();
    const read = (file: string): unknown => {
      try {
        const text = readTextWithin(join(folder, file), { most });
        most -= Buffer.byteLength(text);
        return JSON.parse(text);
      } catch (error) {
        throw new Error(`${file}: ${errorMessage(error)}`);
      }
    };
    return Object.fromEntries(files.map((file) => [file.slice(0, -'.json'.length), read(file)]));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    mistakes.push(`${variable}=${folder} cannot be read: ${code === 'ENOENT' ? 'the folder does not exist' : message}.`);
    return {};
  }
}
