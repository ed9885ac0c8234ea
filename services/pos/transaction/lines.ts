import { invalid } from '../../../shared/catalog/problems.ts';

interface Scanned {
  readonly sku: string;
  readonly qty: number;
}

const MAX_PER_LINE = 9_999;

/**
 * Merges repeated scans into one line per SKU, in the order of the first scans.
 * @throws Problem `validation_failed` that points at the scan with which a line becomes too long
 */
export function mergeLines(scanned: readonly Scanned[]): Scanned[] {
  const lines = new Map<string, number>();
  for (const [index, { sku, qty }] of scanned.entries()) {
    const total = (lines.get(sku) ?? 0) + qty;
    if (total > MAX_PER_LINE) {
      throw invalid(`/lines/${index}/qty`, 'too_big', `A line has at most ${MAX_PER_LINE} units; "${sku}" would have ${total}.`);
    }
    lines.set(sku, total);
  }
  return [...lines].map(([sku, qty]) => ({ sku, qty }));
}
