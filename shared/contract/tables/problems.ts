import { declineCodes } from '../../catalog/payment/objects.ts';
import { type ProblemCode, problems, retryableAtTimes } from '../../catalog/problems.ts';
import { code, table } from './markdown.ts';
import { problemMeanings } from './problem-meanings.ts';

const all = Object.entries(problems) as [ProblemCode, { status: number; title: string; retryable: boolean }][];

const repeatable = (name: ProblemCode, retryable: boolean): string =>
  retryable ? 'yes' : retryableAtTimes.has(name) ? 'no, unless `retryable` is `true`' : 'no';

/** Every problem code, linked to its section. */
export function problemTable(): string {
  return table(
    ['Status', '`code`', 'Title', 'Same request may succeed later'],
    all.map(([name, { status, title, retryable }]) => [String(status), `[${code(name)}](#${name})`, title, repeatable(name, retryable)]),
  );
}

/** One section per problem, with the code as its anchor. */
export function problemSections(): string {
  return all
    .map(([name, { status, title }]) => {
      const [cause, remedy] = problemMeanings[name];
      const reasons = name === 'payment_declined' ? [declineCodeTable()] : [];
      return [`### ${name}`, `${status} ${title}.`, `**Cause.** ${cause}`, `**Remedy.** ${remedy}`, ...reasons].join('\n\n');
    })
    .join('\n\n');
}

const declineCodeTable = (): string =>
  table(
    ['`declineCode`', 'Meaning'],
    Object.entries(declineCodes).map(([name, meaning]) => [code(name), meaning]),
  );
