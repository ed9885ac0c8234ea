import { useMemo } from 'preact/hooks';
import { estateLink, fragment } from '../data/data.ts';
import { Empty, PageHead, type PageProps, Row } from '../kit/kit.ts';
import { glossary, settings } from './catalog.ts';
import css from './reference.module.css';
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
          <a key={path} href={estateLink('reference', path)} aria-current={path === section ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {(section === 'api' || section === 'events') && <Scalar key={section} of={section} />}
      {section === 'problems' && <Problems />}
      {section === 'values' && <MagicValues />}
      {section === 'settings' && <Entries label="Settings" entries={variables} />}
      {section === 'glossary' && <Entries label="Glossary" entries={words} />}
      {section === undefined && (
        <ul class="card rows">
          {referenceSections.map(({ path, title, about }) => (
            <Row key={path} href={estateLink('reference', path)} what={title} meta={[about]} />
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

/** The APIs or the events, drawn by Scalar: in a frame, because the gateway serves it with another policy. */
function Scalar({ of }: { of: 'api' | 'events' }) {
  const named = fragment.value;
  // The frame changes the fragment of the address while somebody reads; only another link moves the frame.
  const hash = useMemo(() => location.hash, [named]);
  return <iframe class={css.frame} title={of === 'api' ? 'APIs' : 'Events'} src={`/console/scalar/${of}${hash}`} />;
}

/** The anchor of a heading, as in the documentation. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}
