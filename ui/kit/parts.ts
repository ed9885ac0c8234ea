import { type ComponentChildren, h } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Refusal } from '../data/refusal.ts';
import { path, takeFocusDue } from '../data/router.ts';
import { type Tone, toneOf } from './format.ts';
import { say } from './status-line.ts';

/** The heading of a page. It takes the focus after a navigation, and names the document. */
export function Heading({ children, title, small = false }: { children?: ComponentChildren; title: string; small?: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const at = path.value;
  useEffect(() => {
    document.title = `${title} · Estate console`;
    if (takeFocusDue()) heading.current?.focus({ preventScroll: true });
  }, [at, title]);
  return h('h1', { ref: heading, tabIndex: -1, class: small ? 'small' : undefined }, children);
}

export const Badge = ({ tone, children }: { tone?: Tone; children?: ComponentChildren }) =>
  h('span', { class: tone ? `badge ${tone}` : 'badge' }, children);

/** An HTTP status: green, amber when refused, red when failed. */
export const StatusBadge = ({ status }: { status: number }) => h(Badge, { tone: toneOf(status) }, status);

export function Card({
  title,
  aside,
  children,
  label,
}: {
  title?: string;
  aside?: ComponentChildren;
  children?: ComponentChildren;
  label?: string;
}) {
  return h(
    'section',
    { class: 'card', 'aria-label': label ?? title },
    title !== undefined && h('header', {}, h('h2', {}, title), aside),
    children,
  );
}

/** What will appear here, and the button that makes it appear. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) =>
  h('div', { class: 'empty' }, h('p', { class: 'empty-title' }, title), children);

export const Skeleton = ({ rows }: { rows: number }) =>
  h(
    'div',
    { class: 'skeleton', role: 'img', 'aria-label': 'Loading' },
    Array.from({ length: rows }, (_, row) => h('span', { key: row })),
  );

export const ProblemCard = ({ refusal, retry }: { refusal: Refusal; retry?: () => void }) =>
  h(
    'div',
    { class: 'problem' },
    h('p', { class: 'empty-title' }, refusal.title),
    h('p', {}, refusal.detail),
    h(
      'p',
      { class: 'muted' },
      h('code', {}, refusal.code),
      refusal.correlationId !== undefined && [' · ', h('code', { class: 'brk' }, refusal.correlationId)],
    ),
    retry && h('p', {}, h('button', { type: 'button', onClick: retry }, 'Try again')),
  );

/** Copies text and confirms it. Where copying is not allowed, shows the text for copying by hand. */
export function CopyButton({ text, children, what }: { text: () => string; children?: ComponentChildren; what: string }) {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      say(`${what} copied`);
    } catch {
      prompt(`${what}: copy it from here`, text());
    }
  };
  return h('button', { type: 'button', onClick: () => void copy() }, children);
}
