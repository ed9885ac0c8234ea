import { useEffect, useRef, useState } from 'preact/hooks';
import { route, setQuery } from '../data/router.ts';

/** Wall time after the last key. */
const FILTER_MS = 250;

/** A field whose text is in the address, under the name of a parameter. The key `/` leads to it. */
export function FilterField({ parameter, label, placeholder }: { parameter: string; label: string; placeholder: string }) {
  const filter = route.value.query.get(parameter) ?? '';
  const [typed, setTyped] = useState(filter);
  const due = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // While the user types, the field is newer than the address.
    if (due.current === undefined) setTyped((text) => (text.trim() === filter ? text : filter));
  }, [filter]);
  useEffect(() => () => clearTimeout(due.current), []);
  return (
    <input
      type="search"
      data-filter=""
      aria-label={label}
      placeholder={`${placeholder}   /`}
      maxLength={160}
      value={typed}
      onInput={({ currentTarget: field }) => {
        setTyped(field.value);
        clearTimeout(due.current);
        due.current = setTimeout(() => {
          due.current = undefined;
          setQuery({ [parameter]: field.value.trim() || undefined });
        }, FILTER_MS);
      }}
    />
  );
}
