import { h } from 'preact';
import type { PageProps } from './page.ts';
import { Heading } from './parts.ts';

export function Activity({ rest }: PageProps) {
  return h('div', {}, h(Heading, { title: 'Activity' }, 'Activity'), rest.join());
}
