import { signal } from '@preact/signals';
import { type ComponentChild, type ComponentChildren, options, type VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { meanings } from './catalog.ts';
import { EXPLAINED } from './explained.ts';

const MEANING = 'meaning';
const asked = signal('');

/** A word of the glossary in a text. Its first use on the page opens its meaning. */
export const Term = ({ word, children }: { word: string; children: string }) => <Use word={word} text={children} />;

/** The meaning that the user opened. The page has one, outside all texts. */
export const Meaning = () => (
  <aside id={MEANING} popover="auto" class="meaning" aria-label="Meaning of a word">
    <strong>{asked}.</strong> {inWords(meanings[asked.value] ?? '')}
  </aside>
);

const wordOf = new Map(Object.entries(EXPLAINED).flatMap(([word, forms]) => forms.map((form) => [form.toLowerCase(), word])));
const FORMS = new RegExp(`(?<![\\w-])(${[...wordOf.keys()].toSorted((one, other) => other.length - one.length).join('|')})(?![\\w-])`, 'i');

/** Elements with sentences. Names of buttons and links, values and code stay as they are. */
const PROSE: ReadonlySet<string> = new Set(['p', 'li', 'dt', 'dd']);

/** Marks the first use of each glossary word in the sentences of a page, now and after each change. */
export function explainWords(): void {
  const before = options.vnode;
  options.vnode = (vnode: VNode) => {
    before?.(vnode);
    if (typeof vnode.type !== 'string' || !PROSE.has(vnode.type)) return;
    const props = vnode.props as { children?: ComponentChildren; class?: string };
    const { children } = props;
    const isCode = props.class?.split(' ').includes('mono') ?? false;
    if (children !== undefined && !isCode) props.children = Array.isArray(children) ? children.map(explained) : explained(children);
  };
}

const explained = (child: ComponentChild): ComponentChild =>
  typeof child === 'string' && FORMS.test(child)
    ? child
        .split(FORMS)
        .map((part, place) => (place % 2 === 0 ? part : <Use key={place} word={wordOf.get(part.toLowerCase()) ?? part} text={part} />))
    : child;

/** The uses of each word on the page. The first one to appear comes first. */
const uses = new Map<string, readonly ((isFirst: boolean) => void)[]>();

function Use({ word, text }: { word: string; text: string }) {
  const place = useRef<HTMLSpanElement>(null);
  const [isFirst, setFirst] = useState(false);
  useLayoutEffect(() => {
    if (!place.current?.closest('main, dialog') || place.current.closest('a, button, summary, label, [role="alert"], [aria-live]'))
      return undefined;
    const put = (all: readonly ((isFirst: boolean) => void)[]): void => {
      uses.set(word, all);
      all[0]?.(true);
    };
    put([...(uses.get(word) ?? []), setFirst]);
    return () => put((uses.get(word) ?? []).filter((one) => one !== setFirst));
  }, [word]);
  return (
    <span ref={place}>
      {isFirst ? (
        // A tooltip opens with a click too: not everybody has a pointer.
        <button type="button" class="term" title={meaningOf(word)} popovertarget={MEANING} onClick={() => (asked.value = word)}>
          {text}
        </button>
      ) : (
        text
      )}
    </span>
  );
}

/** The meaning of a word, for a tooltip. */
const meaningOf = (word: string): string => plain(meanings[word] ?? '');

const plain = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');

/** Text of the catalog for a page. Backquotes mark code. Links lead to files, so only their words remain. */
export const inWords = (text: string) =>
  text
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .split('`')
    .map((part, index) =>
      index % 2 === 1 ? (
        <code key={index} class="brk">
          {part}
        </code>
      ) : (
        part
      ),
    );
