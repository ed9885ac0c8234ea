import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { fragment } from '../data/data.ts';
import { Card, CopyButton, inWords } from '../kit/kit.ts';
import { magicValues } from './catalog.ts';
import css from './reference.module.css';

/** The values of the initial world that have a known outcome, such as tokens that are declined. */
export const MagicValues = () =>
  magicValues.map(({ title, rows }) => (
    <Card key={title} title={title}>
      <ul class={`lined ${css.entries}`}>
        {rows.map(({ values, also, use }) => (
          <li key={use}>
            <p class="line">
              {values.map((value) => (
                <CopyButton key={value} what={value} text={() => value}>
                  <code class="brk">{value}</code>
                </CopyButton>
              ))}
              {also}
            </p>
            <p class="muted">{inWords(use)}</p>
          </li>
        ))}
      </ul>
    </Card>
  ));

export interface Entry {
  /** The fragment that names it. */
  readonly id: string;
  readonly name: ComponentChildren;
  readonly note?: string;
  readonly meaning: string;
}

/** A list of words with their meanings. The fragment of the address names one. */
export function Entries({ label, entries }: { label: string; entries: readonly Entry[] }) {
  const named = fragment.value;
  useEffect(() => document.getElementById(named)?.scrollIntoView(), [named]);
  return (
    <Card label={label}>
      <ul class={`lined ${css.entries}`}>
        {entries.map(({ id, name, note = '', meaning }) => (
          <li key={id} id={id} aria-current={id === named ? 'true' : undefined}>
            <p class="line">
              <strong>{name}</strong>
              {note !== '' && <span class="muted brk">default {note}</span>}
            </p>
            <p>{inWords(meaning)}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
