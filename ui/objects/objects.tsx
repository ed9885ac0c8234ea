import type { PageProps } from '../shell/page.ts';
import { ObjectPage } from './object.tsx';
import { ObjectList } from './object-list.tsx';
import { ObjectTypes } from './object-types.tsx';

/** The business objects of a rehearsal: their types, the objects of a type, or one object. */
export function Objects({ rehearsal, rest: [type, id], query }: PageProps) {
  if (type === undefined) return <ObjectTypes rehearsal={rehearsal} />;
  if (id === undefined) return <ObjectList key={type} rehearsal={rehearsal} type={type} query={query} />;
  return <ObjectPage key={`${type}/${id}`} rehearsal={rehearsal} type={type} id={id} />;
}
