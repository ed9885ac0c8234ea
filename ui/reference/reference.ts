import './reference.css';
import { h } from 'preact';
import { estateLink } from '../data/data.ts';
import { Empty, Heading } from '../kit/kit.ts';
import type { PageProps } from '../shell/page.ts';
import { Problems } from './reference-problems.ts';
import { MagicValues } from './reference-values.ts';

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
  return h(
    'div',
    { class: 'stack' },
    h('div', { class: 'title' }, h(Heading, { title: shown?.title ?? 'Reference' }, shown?.title ?? 'Reference')),
    h(
      'nav',
      { class: 'tabs', 'aria-label': 'Reference' },
      SECTIONS.map(({ path, title }) => h(SectionLink, { key: path, path, title, isCurrent: path === section })),
    ),
    section === 'problems' && h(Problems, {}),
    section === 'values' && h(MagicValues, {}),
    section === undefined &&
      h(
        'ul',
        { class: 'card rows' },
        SECTIONS.map(({ path, title, about }) =>
          h(
            'li',
            { key: path },
            h(
              'a',
              { ...target(path), href: estateLink('reference', path), 'data-row': '' },
              h('span', { class: 'what' }, title),
              h('span', {}),
              h('span', { class: 'meta' }, about),
            ),
          ),
        ),
      ),
    section !== undefined && !shown && h('div', { class: 'card' }, h(Empty, { title: 'Unknown reference.' })),
  );
}

/** These two are separate pages, because the gateway serves them with another policy. */
const target = (path: string) => (path === 'api' || path === 'events' ? { target: '_self' } : {});

const SectionLink = ({ path, title, isCurrent }: { path: string; title: string; isCurrent: boolean }) =>
  h('a', { ...target(path), href: estateLink('reference', path), 'aria-current': isCurrent ? 'page' : undefined }, title);
