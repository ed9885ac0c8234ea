import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Refusal } from '../data/refusal.ts';
import { path, route, takeFocusDue } from '../data/router.ts';
import { type Tone, toneOf } from './format.ts';
import { say } from './status-line.tsx';

/** The heading of a page. It takes the focus after a navigation, and names the document. */
export function Heading({ children, title, small = false }: { children?: ComponentChildren; title: string; small?: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const at = path.value;
  useEffect(() => {
    document.title = [title, route.peek().rehearsal, 'Estate console'].filter(Boolean).join(' · ');
    if (takeFocusDue()) heading.current?.focus({ preventScroll: true });
  }, [at, title]);
  return (
    <h1 ref={heading} tabIndex={-1} class={small ? 'small' : undefined}>
      {children}
    </h1>
  );
}

export const Badge = ({ tone, children }: { tone?: Tone; children?: ComponentChildren }) => (
  <span class={tone ? `badge ${tone}` : 'badge'}>{children}</span>
);

/** The faults that struck. */
export const FaultBadges = ({ faults }: { faults: readonly string[] }) => (
  <>
    {faults.map((fault) => (
      <Badge key={fault} tone="warn">
        ⚡ <span class="clip">{fault}</span>
      </Badge>
    ))}
  </>
);

/** An HTTP status: green, amber when refused, red when failed. */
export const StatusBadge = ({ status }: { status: number }) => <Badge tone={toneOf(status)}>{status}</Badge>;

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
  return (
    <section class="card" aria-label={label ?? title}>
      {title !== undefined && (
        <header>
          <h2>{title}</h2>
          {aside}
        </header>
      )}
      {children}
    </section>
  );
}

/** What will appear here, and the button that makes it appear. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
);

interface NotFoundProps {
  /** For the title of the document. */
  readonly title: string;
  readonly words: string;
  /** What the address names. */
  readonly id: string;
  readonly children?: ComponentChildren;
}

/** In place of something that does not exist. */
export const NotFound = ({ title, words, id, children }: NotFoundProps) => (
  <div class="empty">
    <Heading title={title} small>
      {words}
    </Heading>
    <p>
      <code class="brk">{id}</code>
    </p>
    {children}
  </div>
);

/** A term and what it is, in a list of the class `pairs`. */
export const Pair = ({ term, children }: { term: string; children: ComponentChildren }) => (
  <div>
    <dt class="muted">{term}</dt>
    <dd class="brk">{children}</dd>
  </div>
);

export const Skeleton = ({ rows }: { rows: number }) => (
  <div class="skeleton" role="img" aria-label="Loading">
    {Array.from({ length: rows }, (_, row) => (
      <span key={row} />
    ))}
  </div>
);

export const ProblemCard = ({ refusal, retry }: { refusal: Refusal; retry?: () => void }) => (
  <div class="problem">
    <p class="empty-title">{refusal.title}</p>
    <p>{refusal.detail}</p>
    <p class="muted">
      <code>{refusal.code}</code>
      {refusal.correlationId !== undefined && (
        <>
          {' '}
          · <code class="brk">{refusal.correlationId}</code>
        </>
      )}
    </p>
    {retry && (
      <p>
        <button type="button" onClick={retry}>
          Try again
        </button>
      </p>
    )}
  </div>
);

/** Reads a part of a page again that does not follow the stream. */
export const Refresh = ({ reload }: { reload: () => void }) => (
  <button type="button" class="quiet" onClick={reload}>
    Refresh
  </button>
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
  return (
    <button type="button" onClick={() => void copy()}>
      {children}
    </button>
  );
}
