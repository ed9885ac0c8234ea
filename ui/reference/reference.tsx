import './reference.css';
import { estateLink } from '../data/data.ts';
import { Empty, Heading } from '../kit/kit.ts';
import type { PageProps } from '../shell/page.ts';
import { Problems } from './reference-problems.tsx';
import { MagicValues } from './reference-values.tsx';

const SECTIONS = [
  {
    path: 'api',
    title: 'APIs',
    about: 'What to call: every API with its parameters, bodies and answers. Requests can be sent from the page.',
  },
  { path: 'events', title: 'Events', about: 'What is published: topics, payloads, who sends and who receives.' },
  { path: 'problems', title: 'Problems', about: 'What comes back when a request is refused, and which API answers it.' },
  { path: 'values', title: 'Magic values', about: 'Products, cards, vouchers and services with a known outcome.' },
] as const;

/** What can be called, what comes back, and which values have a known outcome. */
export function Reference({ rest: [section] }: PageProps) {
  const shown = SECTIONS.find(({ path }) => path === section);
  return (
    <div class="stack">
      <div class="title">
        <Heading title={shown?.title ?? 'Reference'}>{shown?.title ?? 'Reference'}</Heading>
      </div>
      <nav class="tabs" aria-label="Reference">
        {SECTIONS.map(({ path, title }) => (
          <SectionLink key={path} path={path} title={title} isCurrent={path === section} />
        ))}
      </nav>
      {section === 'problems' && <Problems />}
      {section === 'values' && <MagicValues />}
      {section === undefined && (
        <ul class="card rows">
          {SECTIONS.map(({ path, title, about }) => (
            <li key={path}>
              <a {...target(path)} href={estateLink('reference', path)} data-row="">
                <span class="what">{title}</span>
                <span />
                <span class="meta">{about}</span>
              </a>
            </li>
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

const SectionLink = ({ path, title, isCurrent }: { path: string; title: string; isCurrent: boolean }) => (
  <a {...target(path)} href={estateLink('reference', path)} aria-current={isCurrent ? 'page' : undefined}>
    {title}
  </a>
);
