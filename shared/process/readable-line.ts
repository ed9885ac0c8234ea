import { styled } from './terminal.ts';

const LEVELS: Readonly<Record<number, readonly [name: string, colour: Parameters<typeof styled>[0]]>> = {
  10: ['TRACE', 'dim'],
  20: ['DEBUG', 'dim'],
  30: ['INFO ', 'green'],
  40: ['WARN ', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
};
/** Members that repeat others for a person. */
const HIDDEN: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'application', 'part', 'err', 'world', 'trace_id', 'span_id']);

interface LoggedError {
  readonly message?: string;
  readonly stack?: string;
}

/** A line of the log for a person at a terminal: `20:58:31 WARN  oms  text  member=value`. */
export function readableLine(json: string): string {
  const record = parsed(json);
  if (record === undefined) return json;
  const { level, time, msg = '', application = record['part'] ?? 'estate', err } = record;
  const [name, colour] = LEVELS[Number(level)] ?? ['     ', 'reset'];
  const { message, stack } = (err ?? {}) as LoggedError;
  const members = Object.entries(record).filter(([member]) => !HIDDEN.has(member));
  const rest = members.map(([member, value]) => `${member}=${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' ');
  const text = [msg, ...(message !== undefined && stack === undefined ? [message] : [])].filter((part) => part !== '').join(': ');
  const words = [styled('dim', String(time).slice(11, 19)), styled(colour, name), styled('bold', String(application)), text];
  const line = [...words, ...(rest === '' ? [] : [styled('dim', rest)])].join('  ');
  return stack === undefined ? `${line}\n` : `${line}\n${stack.replaceAll(/^/gm, '    ')}\n`;
}

function parsed(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
