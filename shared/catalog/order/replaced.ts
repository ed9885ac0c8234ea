/*
 * Reasons for replacements, and how many units are replaced, for the applications, the control plane and the pages. A browser loads this
 * file, so it imports no schemas.
 */

/** Which goods a reason is for, and whether the customer has them and may send them back. */
interface Reason {
  readonly of: 'lost' | 'delivered';
  readonly comesBack: boolean;
  readonly meaning: string;
}

export const replacementReasons = {
  lost: { of: 'lost', comesBack: false, meaning: 'the carrier lost the parcel, and its goods are not refunded yet' },
  missing: { of: 'delivered', comesBack: false, meaning: 'the parcel was delivered without the goods' },
  damaged: { of: 'delivered', comesBack: true, meaning: 'the goods arrived damaged' },
  wrong: { of: 'delivered', comesBack: true, meaning: 'other goods arrived in their place' },
} as const satisfies Readonly<Record<string, Reason>>;
export type ReplacementReason = keyof typeof replacementReasons;

interface Line {
  readonly orderLineId: string;
  readonly qty: number;
  readonly deliveredQty: number;
  readonly failedQty: number;
  readonly foundQty?: number;
  readonly lostFulfillmentOrderId?: string;
}
interface Replaced {
  readonly reason: ReplacementReason;
  readonly lines: readonly Line[];
}

/** Units of a replacement that have reached the customer, or still may. */
export const servedBy = ({ qty, failedQty }: Pick<Line, 'qty' | 'failedQty'>): number => qty - failedQty;

type Replacements = readonly Replaced[];

const linesFor = (replacements: Replacements, lineId: string, of: Reason['of']) =>
  replacements
    .filter(({ reason }) => replacementReasons[reason].of === of)
    .flatMap(({ lines }) => lines.filter(({ orderLineId }) => orderLineId === lineId));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Delivered units of a line that are replaced, or are being replaced. Each delivered unit is replaced once. */
export const replacedOf = (lineId: string, replacements: Replacements = []): number =>
  sum(linesFor(replacements, lineId, 'delivered').map(servedBy));

/** Delivered units of a line whose replacement has not arrived. They cannot be returned for a refund until then. */
export const beingReplacedOf = (lineId: string, replacements: Replacements = []): number =>
  sum(linesFor(replacements, lineId, 'delivered').map((line) => servedBy(line) - line.deliveredQty));

/** Units of a lost parcel that a replacement serves in its place. Found units in place of failed ones serve their order themselves. */
export const replacedInParcel = (fulfillmentOrderId: string, lineId: string, replacements: Replacements = []): number =>
  sum(
    linesFor(replacements, lineId, 'lost').flatMap(({ lostFulfillmentOrderId, qty, foundQty = 0 }) =>
      lostFulfillmentOrderId === fulfillmentOrderId ? [qty - foundQty] : [],
    ),
  );

/** A fulfillment order, and the replacement that it serves. Lost goods may be replaced until they are refunded. */
interface Serving {
  readonly id: string;
  readonly replacementId?: string;
  readonly mayBeReplaced: boolean;
}

/**
 * Units that were sent in place of a lost parcel and never will arrive: they failed, no later replacement serves them, and no found units stand
 * in for them. Units in place of them count too, if they failed in turn.
 */
export function failedInPlaceOf(
  lost: Serving['id'],
  replacements: readonly (Replaced & { readonly id: string })[],
  sent: readonly Serving[],
): number {
  return sum(
    replacements.flatMap(({ id, lines }) => {
      const served = sent.filter(({ replacementId }) => replacementId === id);
      const own = lines.filter(({ lostFulfillmentOrderId }) => lostFulfillmentOrderId === lost);
      return own.map(({ orderLineId, failedQty, foundQty = 0 }) => {
        const again = sum(served.map((one) => replacedInParcel(one.id, orderLineId, replacements)));
        const inTurn = sum(served.map((one) => failedInPlaceOf(one.id, replacements, sent)));
        const failed = served.some(({ mayBeReplaced }) => mayBeReplaced) ? 0 : failedQty - foundQty - again;
        return Math.max(0, failed) + inTurn;
      });
    }),
  );
}

/** Units of a line that came back, or are to come back, for a replacement. */
type BackFor<R> = (replacement: R) => number;

/**
 * Delivered units of a line that the customer has no longer, and whose replacement failed: they came back for it, or were missing. A later
 * replacement serves them first. Nobody can send them back.
 */
export function withNobodyOf<R extends Replaced>(lineId: string, replacements: readonly R[] = [], backFor: BackFor<R>): number {
  let units = 0;
  for (const one of replacements) {
    const { of, comesBack } = replacementReasons[one.reason];
    if (of !== 'delivered') continue;
    const lines = one.lines.filter(({ orderLineId }) => orderLineId === lineId);
    const gone = comesBack ? backFor(one) : Math.max(0, sum(lines.map(({ qty }) => qty)) - units);
    units = Math.max(0, units + gone - sum(lines.map(servedBy)));
  }
  return units;
}

/** Units of a line that may still come back for a replacement, although the customer keeps the goods in their place. */
export function comingBackOf<R extends Replaced>(replacement: R, lineId: string, placed: readonly R[], backFor: BackFor<R>): number {
  if (!replacementReasons[replacement.reason].comesBack) return 0;
  const served = sum(replacement.lines.filter(({ orderLineId }) => orderLineId === lineId).map(servedBy));
  return served - backFor(replacement) - withNobodyOf(lineId, placed.slice(0, placed.indexOf(replacement)), backFor);
}
