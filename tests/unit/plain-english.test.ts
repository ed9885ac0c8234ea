import { expect, test } from '@jest/globals';
import { textOf, trackedFiles } from '../support/tracked-files.ts';

/** Wording that has to be read twice, and what to write in its place. There are no exceptions: rewrite the sentence. */
const BANNED: readonly { readonly wording: RegExp; readonly better: string }[] = [
  { wording: /\b(that|those) of\b/i, better: 'repeat the noun' },
  { wording: /\b(of|in|by|to|from|with|at|on|for) which\b/i, better: 'repeat the noun, or begin a new sentence' },
  {
    wording: /\b(tells?|told|knows|judges?d?|learns|says|said|asks|hears|heard)\b/i,
    better: 'returns, reports, stores, validates, reads, requests',
  },
  { wording: /\bat once\b/i, better: 'immediately, atomically, together, or nothing' },
  { wording: /\bby (itself|themselves)\b/i, better: 'alone, automatically, or nothing' },
  { wording: /\bof (its|their|his|your|our) own\b/i, better: 'its own, separate, or nothing' },
  { wording: /\bmeanwhile\b/i, better: 'while …, or nothing' },
  { wording: /\b(goes|go|went|going) on\b/i, better: 'continues' },
  { wording: /\bbut for\b/i, better: 'except' },
  { wording: /\bbesides\b/i, better: 'and, except, or nothing' },
  {
    wording: /(?<!\bthere )\b(is|are) no (?!longer\b|more\b|later\b|earlier\b|older\b|newer\b|larger\b|smaller\b|slower\b|faster\b)/i,
    better: 'is not a …',
  },
  { wording: /\balso (the|a|an|its|their)\b/i, better: 'leave "also" out' },
  { wording: /\bit was \d{3}\b/i, better: 'the sections Added, Changed and Fixed' },
  { wording: /\b(in the order|at the (instant|moment)|by means) of\b/i, better: 'sorted by, when, with' },
  // Spelled so that a search for the words finds no file.
  { wording: /\b(la[w]s?|simulation[ ]plane)\b/i, better: 'invariant, control plane' },
  { wording: /\b(an?|the|this|each|every|no|one|open|its|their) holds?\b(?! (of|for) )/i, better: 'reservation' },
  {
    wording: /\b(as is|as are|so is|so are|nor is|nor are|nor does|as does|as do|so does) (?=\w)/i,
    better: 'a sentence with subject and verb',
  },
  { wording: /\bno such\b/i, better: 'unknown, or name what is missing' },
  { wording: /\blook(s|ed)? after\b|\bfor good\b|\bof late\b|\bthereby\b|\bwhereby\b|\bhenceforth\b/i, better: 'the term of the field' },
];

const exempt = new Set(['LICENSE', 'CHANGELOG.md', 'package-lock.json', 'tests/unit/plain-english.test.ts']);
const code = /\.(ts|tsx|mjs|cjs|js)$/;
const prose = /\.(md|txt|ya?ml|css|html|sh|toml)$|(^|\/)(Dockerfile|run)$/;

/** Comments, and texts with a blank in quotes: what a person reads of a line of code. */
function readable(line: string): string {
  const comment = /^\s*(\/?\*+ .*)|(?:^|\s)\/\/ (.*)/.exec(line);
  const texts = [...line.matchAll(/'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)(?:`|$)|"([^"]*)"/g)].filter(([text]) => text.includes(' '));
  return [comment?.[1] ?? comment?.[2] ?? '', ...texts.map(([text]) => text.replaceAll(/\$\{[^}]*\}/g, '…'))].join(' | ');
}

const findings = trackedFiles
  .filter((file) => !exempt.has(file) && (code.test(file) || prose.test(file)))
  .flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, index) => {
        const text = code.test(file) ? readable(line) : line;
        return BANNED.flatMap(({ wording, better }) => {
          const [found] = wording.exec(text) ?? [];
          return found === undefined ? [] : [`${file}:${index + 1}: "${found}" → ${better}`];
        });
      }),
  );

test('Comments, documents and messages contain no wording that has to be read twice', () => expect(findings).toEqual([]));
