import type { CaseFixture } from './fixtures.ts';

/** Decimals of the members that the contract writes in full: 6.9 is sent as 6.90. */
const DECIMALS: Readonly<Record<string, number>> = { unitPrice: 2, amount: 2, saving: 2, total: 2, totalSaving: 2, weight: 3 };

/** The two members that are echoed from the request. The rest of a response is fixed. */
type Echo = 'touchpointId' | 'basketId';

interface Segment {
  readonly literal: string;
  readonly echo: Echo | undefined;
}

/** A response that is serialised once; each request only fills in the echoed members. */
export interface FixedResponse {
  readonly status: number;
  /** Alternating names and values, without `Content-Length`. */
  readonly headers: readonly string[];
  /** The body. `basketId` is echoed when it is a string, else it is the identifier of the fixture. */
  body(touchpointId: string, basketId: unknown): string;
}

export function fixedResponse(fixture: CaseFixture): FixedResponse {
  const segments = segmentsOf(fixture.response);
  const ownBasketId = fixture.response['basketId'];
  return {
    status: fixture.status,
    headers: ['Content-Type', 'application/json', ...Object.entries(fixture.headers).flat()],
    body(touchpointId, basketId) {
      const echoed = { touchpointId, basketId: typeof basketId === 'string' ? basketId : ownBasketId };
      let text = '';
      for (const { literal, echo } of segments) text += echo === undefined ? literal : literal + JSON.stringify(echoed[echo]);
      return text;
    },
  };
}

/** Splits the text of the response at the echoed values, which are members of the top level. */
function segmentsOf(response: Readonly<Record<string, unknown>>): readonly Segment[] {
  const segments: Segment[] = [];
  let literal = '{';
  for (const [index, [name, value]] of Object.entries(response).entries()) {
    literal += `${index === 0 ? '' : ','}${JSON.stringify(name)}:`;
    if (name === 'touchpointId' || name === 'basketId') {
      segments.push({ literal, echo: name });
      literal = '';
    } else {
      literal += contractJson(value, name);
    }
  }
  return [...segments, { literal: `${literal}}`, echo: undefined }];
}

/** JSON without white space. Amounts have two decimals, weights three. */
function contractJson(value: unknown, name = ''): string {
  if (Array.isArray(value)) return `[${value.map((item) => contractJson(item)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${contractJson(item, key)}`);
    return `{${members.join(',')}}`;
  }
  const decimals = DECIMALS[name];
  return typeof value === 'number' && decimals !== undefined ? value.toFixed(decimals) : JSON.stringify(value);
}
