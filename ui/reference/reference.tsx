import { estateLink } from '../data/data.ts';
import { Empty, PageHead, type PageProps, Row } from '../kit/kit.ts';
import { glossary, settings } from './catalog.ts';
import { Problems } from './reference-problems.tsx';
import { Entries, type Entry, MagicValues } from './reference-values.tsx';
import { referenceSections } from './sections.ts';

const variables: readonly Entry[] = settings.map(({ name, initial, meaning }) => ({
  id: name,
  name: <code class="brk">{name}</code>,
  note: initial,
  meaning,
}));
const words: readonly Entry[] = Object.entries(glossary).map(([name, meaning]) => ({ id: anchorOf(name), name, meaning }));

/** What can be called, what comes back, and which values have a known outcome. */
export function Reference({ rest: [section] }: PageProps) {
  const shown = referenceSections.find(({ path }) => path === section);
  return (
    <div class="stack">
      <PageHead title={shown?.title ?? 'Reference'} />
      <nav class="tabs" aria-label="Reference">
        {referenceSections.map(({ path, title }) => (
          <a key={path} {...target(path)} href={estateLink('reference', path)} aria-current={path === section ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {section === 'problems' && <Problems />}
      {section === 'values' && <MagicValues />}
      {section === 'settings' && <Entries label="Settings" entries={variables} />}
      {section === 'glossary' && <Entries label="Glossary" entries={words} />}
      {section === undefined && (
        <ul class="card rows">
          {referenceSections.map(({ path, title, about }) => (
            <Row key={path} {...target(path)} href={estateLink('reference', path)} what={title} meta={[about]} />
          ))}
        </ul>
      )}
      {section !== undefined && !shown && (
        <div class="card">
          <Empty title="Unknown reference." />
        </div>
      )}
    </div>
  );
}

/** These two are separate pages, because the gateway serves them with another policy. */
const target = (path: string) => (path === 'api' || path === 'events' ? { target: '_self' } : {});

/** The anchor of a heading, as in the documentation. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}
