import type { ComponentChildren } from 'preact';
import { Scroll } from './scroll.tsx';

/** Longer bodies are shown without colors: each colored word is an element. */
const MOST_COLORED = 20_000;
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|\btrue\b|\bfalse\b|\bnull\b)/g;

/** A body as indented JSON. Whatever it contains is shown as text. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  if (value === undefined || value === null) return <p class="muted">none on record</p>;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <Scroll as="pre" label={label}>
      {text.length > MOST_COLORED || typeof value === 'string' ? text : colored(text)}
    </Scroll>
  );
}

function colored(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { 0: whole, 1: string, 2: colon, index } of text.matchAll(TOKEN)) {
    parts.push(text.slice(end, index));
    if (string === undefined) parts.push(<span class="n">{whole}</span>);
    else parts.push(<span class={colon === undefined ? 's' : 'k'}>{string}</span>, colon ?? '');
    end = index + whole.length;
  }
  return [...parts, text.slice(end)];
}
