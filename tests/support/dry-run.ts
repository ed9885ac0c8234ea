import { isDeepStrictEqual } from 'node:util';
import type { PlainReply } from './plain-client.ts';

export const DRY = { dryRun: 'true' } as const;

/** Two answers to one request differ in ids that only one of them has, and in instants of a clock that flows. */
const ID = /\b[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}/g;
const INSTANT = /"\d{4}-\d\d-\d\dT[\d:.]+Z"/g;
/** Values that derive from a new id: the code of an authorisation, a tracking number, the address of a payment page or of a label. */
const DERIVED = /"(?:authorizationCode|trackingNumber)":"[^"]*"|"[^"]*\/(?:payment-actions|labels)\/[^"]*"/g;

const textOf = (value: unknown): string => JSON.stringify(value) ?? '';

function alike(one: unknown, other: unknown): boolean {
  const idsOf = (value: unknown): Set<string> => new Set(textOf(value).match(ID));
  const common = idsOf(one).intersection(idsOf(other));
  const plainOf = (value: unknown): unknown =>
    JSON.parse(
      (textOf(value) || 'null')
        .replaceAll(DERIVED, (text) => text.replace(/"[^"]*"$/, '"derived"'))
        .replaceAll(ID, (id) => (common.has(id) ? id : id.slice(0, 4)))
        .replaceAll(INSTANT, '"instant"'),
    );
  return isDeepStrictEqual(plainOf(one), plainOf(other));
}

/** The parts of an answer that another value has as well. */
function commonPart(part: unknown, whole: unknown): unknown {
  if (Array.isArray(part) && Array.isArray(whole)) return whole.map((one, place) => commonPart(part[place], one));
  if (typeof part !== 'object' || part === null || typeof whole !== 'object' || whole === null) return whole;
  const members = whole as Record<string, unknown>;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, commonPart(value, members[name])]));
}

/** How the answer to a dry run and the answer to the real call that followed it disagree; undefined when they agree. */
export function disagreement(dry: PlainReply, real: PlainReply): string | undefined {
  const shown = (): string => `dry ${dry.status} ${textOf(dry.body)}\nreal ${real.status} ${textOf(real.body)}`;
  if (dry.status >= 400) {
    const { code, detail } = dry.body;
    return dry.status === real.status && alike([code, detail], [real.body?.code, real.body?.detail]) ? undefined : shown();
  }
  const { status, answer, foreseen } = dry.body;
  if (foreseen !== undefined && real.status < 400 && !alike(foreseen, commonPart(foreseen, real.body))) return shown();
  if (status === undefined) return real.status < 400 ? undefined : shown();
  return status === real.status && alike(answer, real.body) ? undefined : shown();
}
