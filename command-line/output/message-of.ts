import { inOneLine } from '../../shared/domain/printable.ts';

export function messageOf(error: unknown): string {
  const text = inOneLine(error instanceof Error ? error.message || error.name : String(error), 300);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
