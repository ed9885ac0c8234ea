import { describe, expect, test } from '@jest/globals';
import { mermaidOf } from '../../../ui/sequence/trace-mermaid.ts';
import { traceTree } from '../../../ui/sequence/trace-tree.ts';
import { aHop, confirmedOrder } from './a-hop.ts';

const titles = { application: (id: string) => id.toUpperCase(), api: (id: string) => id.replace(/-api$/, '') };
const linesOf = (hops: Parameters<typeof traceTree>[0]) =>
  mermaidOf(traceTree(hops), titles)
    .trim()
    .split('\n')
    .map((line) => line.trim());

describe('A trace as a Mermaid diagram', () => {
  test('answers each call after the calls that it made, and shows deliveries afterwards', () => {
    expect(linesOf(confirmedOrder)).toEqual([
      'sequenceDiagram',
      'participant p1 as CLIENT',
      'participant p2 as OMS',
      'participant p3 as PAYMENT-HUB',
      'participant p4 as FMS',
      'participant p5 as INVENTORY-SERVICE',
      'participant p6 as SIM',
      'participant p7 as WMS',
      'p1->>p2: confirm',
      'p2->>p3: list-payments',
      'p3-->>p2: 200, 1 ms',
      'p2->>p4: fulfill',
      'p4->>p5: allocate (fault slow-allocation)',
      'p5->>p6: get-reservation',
      'p6-->>p5: 200, 1 ms',
      'p5-->>p4: 200, 403 ms',
      'p4-->>p2: 200, 406 ms',
      'p2-->>p1: 200, 490 ms',
      'Note over p1,p7: Afterwards',
      'p4--)p7: event order-routed',
    ]);
  });

  test('marks a refusal, and contains no character that has a meaning in Mermaid', () => {
    const hop = aHop('x', 'oms', { api: 'a;b#c: <d>\n%%e', status: 409 });
    expect(linesOf([hop]).slice(-2)).toEqual(['p1->>p2: a b c d e', 'p2--xp1: 409, 1 ms']);
  });
});
