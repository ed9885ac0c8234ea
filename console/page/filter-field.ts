import { h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { setQuery } from './router.ts';

const FILTER_MS = 250;

/** The filter `q` of a list. It changes the address a moment after the last key. @param what the words that are looked for */
export function FilterField({ q, what }: { q: string; what: string }) {
  const [typed, setTyped] = useState(q);
  const due = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setTyped(q), [q]);
  useEffect(() => () => clearTimeout(due.current), []);
  return h('input', {
    type: 'search',
    'data-filter': '',
    'aria-label': `Filter: ${what}`,
    placeholder: `Filter: ${what}   /`,
    maxLength: 160,
    value: typed,
    onInput: ({ currentTarget }) => {
      setTyped(currentTarget.value);
      clearTimeout(due.current);
      due.current = setTimeout(() => setQuery({ q: currentTarget.value.trim() || undefined }), FILTER_MS);
    },
  });
}
