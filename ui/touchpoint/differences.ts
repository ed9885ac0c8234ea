import type { PortalCaller, PortalCase } from '../../services/touchpoint-mock/portal-description.ts';
import { differences as membersThatDiffer } from '../activity/edited-request.ts';
import type { Answer } from './exchange.ts';
import { parsed } from './json-text.ts';

/** Most differences in the list. Both bodies are shown below it. */
const MOST = 8;

/** The documented answer of a case. */
export type Documented = Pick<PortalCase, 'status' | 'headers'> & Pick<Answer, 'text'>;

/** The answer that a case documents. The mock echoes the lane of the caller. */
export const documentedAnswer = ({ status, headers, answer }: PortalCase, { touchpointId }: PortalCaller): Documented => ({
  status,
  headers,
  text: answer.replace('"{lane}"', () => JSON.stringify(touchpointId)),
});

/** How an answer differs from the documented one, in sentences; none when status, headers and body are as documented. */
export function differences(documented: Documented, answer: Answer): readonly string[] {
  const found: string[] = [];
  if (answer.status !== documented.status) found.push(`Status: documented ${documented.status}, answered ${answer.status}.`);
  const received = new Headers(answer.headers.map(([name, value]): [string, string] => [name, value]));
  for (const [name, value] of Object.entries(documented.headers)) {
    if (received.get(name) !== value) found.push(`Header ${name}: documented ${value}, answered ${received.get(name) ?? 'none'}.`);
  }
  if (answer.text !== documented.text) found.push(...inBody(documented.text, answer.text));
  return found.length > MOST ? [...found.slice(0, MOST), `${found.length - MOST} more differences.`] : found;
}

function inBody(documented: string, answered: string): readonly string[] {
  if (parsed(answered) === undefined) return ['Body: documented as JSON, answered otherwise.'];
  const found = membersThatDiffer(parsed(documented), parsed(answered)).map(
    ({ pointer, was, is }) => `${pointer.slice(1).replaceAll('/', '.') || 'Body'}: documented ${was}, answered ${is}.`,
  );
  return found.length > 0 ? found : ['Body: the documented values, written differently.'];
}
