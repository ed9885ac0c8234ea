import type { PageProps } from '../kit/kit.ts';
import { ObjectPage } from './object.tsx';
import { ObjectList } from './object-list.tsx';
import { ObjectTypes } from './object-types.tsx';

/** The business objects of a rehearsal: their types, the objects of a type, or one object. */
export function Objects({ rest: [type, id], query }: PageProps) {
  if (type === undefined) return <ObjectTypes />;
  if (id === undefined) return <ObjectList key={type} type={type} query={query} />;
  return <ObjectPage key={`${type}/${id}`} type={type} id={id} />;
}
