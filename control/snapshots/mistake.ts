import type { FieldError } from '../../shared/catalog/problems.ts';
import { pointerTo } from '../../shared/contract/validation.ts';

export type Path = readonly PropertyKey[];

/** A mistake at a place of a file. */
export const mistake = (path: Path, code: string, detail: string): FieldError => ({ pointer: pointerTo('body', path), code, detail });
