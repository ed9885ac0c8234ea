import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { Refusal } from '../data/refusal.ts';
import { linkHere, path, route, takeFocusDue } from '../data/router.ts';
import { shortId } from './format.ts';
import { say } from './status-line.tsx';

interface HeadingProps {
  readonly children?: ComponentChildren;
  readonly title: string;
  readonly small?: boolean;
}

/** Whether the content stands beside a list that chose it: the address does not name it, and the heading of the list names the document. */
export const Beside = createContext(false);

/** The heading of a page. It takes the focus after a navigation, and names the document. */
export const Heading = (props: HeadingProps) => (useContext(Beside) ? <h2>{props.children}</h2> : <PageHeading {...props} />);

function PageHeading({ children, title, small = false }: HeadingProps) {
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

interface PageHeadProps {
  /** For the document, and the heading unless it has other words. */
  readonly title: string;
  readonly heading?: ComponentChildren;
  readonly badge?: ComponentChildren;
  /** What the page shows. */
  readonly about?: ComponentChildren;
  /** The list that it leads back to. */
  readonly back?: readonly [href: string, words: string];
  readonly children?: ComponentChildren;
}

/** The head of a page: its heading, and what it shows, where it leads back to, or what can be done. */
export const PageHead = ({ title, heading = title, badge, about, back, children }: PageHeadProps) => (
  <div class="title">
    <div class="line">
      <Heading title={title}>{heading}</Heading>
      {badge}
    </div>
    {about !== undefined && <p class="muted">{about}</p>}
    {back && <a href={back[0]}>← {back[1]}</a>}
    {children}
  </div>
);

/** A fault that struck, as a link to the page of faults. */
export const FaultLink = ({ children }: { children: ComponentChildren }) => (
  <a class="badge warn" href={linkHere('faults')}>
    <span aria-hidden="true">⚡</span> <span class="clip">{children}</span>
  </a>
);

interface CardProps {
  readonly title?: string;
  readonly aside?: ComponentChildren;
  readonly label?: string;
  readonly children?: ComponentChildren;
}

export const Card = ({ title, aside, children, label = title }: CardProps) => (
  <section class="card" aria-label={label}>
    {title !== undefined && (
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
    )}
    {children}
  </section>
);

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

/** In place of the detail of something that does not exist. */
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

interface UnknownProps extends Omit<NotFoundProps, 'id'> {
  readonly id: string | undefined;
  /** Why it is unknown, and what the card below shows. */
  readonly why: ComponentChildren;
  /** What exists. */
  readonly card?: ComponentChildren;
}

/** In place of the page of something that does not exist. */
export const Unknown = ({ title, words, id, why, card, children }: UnknownProps) => (
  <div class="stack">
    <Heading title={title}>
      {words} {id !== undefined && <code class="brk">{id}</code>}
    </Heading>
    {why !== false && <p class="muted">{why}</p>}
    {card && <Card label={title}>{card}</Card>}
    {children}
  </div>
);

interface ObjectBadgesProps {
  readonly label: string;
  readonly objects: readonly { readonly type: string; readonly id: string; readonly name?: string | undefined }[];
}

/** Links to objects, each with its name or its id. */
export const ObjectBadges = ({ label, objects }: ObjectBadgesProps) => (
  <ul class="line" aria-label={label}>
    {objects.map(({ type, id, name = shortId(id) }) => (
      <li key={`${type}/${id}`} class="clip">
        <a class="badge" href={linkHere('objects', type, id)} title={`${type}/${id}`}>
          <span class="clip">
            {type} {name}
          </span>
        </a>
      </li>
    ))}
  </ul>
);

interface RowProps extends Record<`data-${string}`, unknown> {
  readonly href: string | undefined;
  readonly what: ComponentChildren;
  readonly badge?: ComponentChildren;
  /** Words below it; an empty part is left out. */
  readonly meta: readonly ComponentChildren[];
  readonly isCurrent?: boolean;
  readonly class?: string | undefined;
  readonly title?: string;
  readonly target?: string;
  readonly rel?: string;
  /** Below the link. */
  readonly children?: ComponentChildren;
}

/** A link in a list of the class `rows`. */
export const Row = ({ what, badge, meta, isCurrent = false, children, ...link }: RowProps) => (
  <li>
    <a data-row="" aria-current={isCurrent ? 'true' : undefined} {...link}>
      <span class="what clip">{what}</span>
      <span>{badge}</span>
      <span class="meta">
        {meta.filter(Boolean).map((part, place) => (typeof part === 'string' ? <span key={place}>{part}</span> : part))}
      </span>
    </a>
    {children}
  </li>
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

/** A button that reads a part of the page again, for parts that do not follow the stream. */
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
