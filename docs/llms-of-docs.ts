import { readFileSync } from 'node:fs';
import { llmsText, type Section } from '../shared/contract/llms-text.ts';

const LINK = /\]\(([^)]+)\)/g;

/** The first heading of a page of this folder. */
const headingOf = (page: string): string => /^# (.+)$/m.exec(readFileSync(new URL(page, import.meta.url), 'utf8'))?.[1] ?? page;

/** The index for language models, with the pages that `docs/README.md` links. */
export function llmsOfDocs(readme: string): string {
  const [, ...parts] = readme.split(/^## /m);
  const sections = parts.map((part): Section => {
    const [title = ''] = part.split(/[:\n]/);
    return { title, links: [...part.matchAll(LINK)].map(([, at = '']) => ({ name: headingOf(at), at })) };
  });
  return llmsText(sections);
}
