import { useState } from 'preact/hooks';
import { act, busy, control, type Output } from '../data/data.ts';
import { counted } from '../kit/kit.ts';
import { Away } from './away.tsx';
import css from './objects.module.css';

type Stock = Output<'list-stock'>['items'][number];

/** A count of the Inventory Service. */
const MOST_UNITS = 1_000_000;

interface ObjectStockProps {
  readonly items: readonly Stock[];
  /** Why nobody can count now. */
  readonly obstacle: string | undefined;
  readonly onCounted: () => void;
}

/** The stock of an item by location, each with a count by hand. */
export const ObjectStock = ({ items, obstacle, onCounted }: ObjectStockProps) => (
  <>
    {obstacle !== undefined && <Away why={obstacle} retry={onCounted} />}
    <ul class={`lined ${css['stock']}`}>
      {items.map((stock) => (
        <Location key={stock.locationId} stock={stock} obstacle={obstacle} onCounted={onCounted} />
      ))}
    </ul>
  </>
);

function Location({ stock, obstacle, onCounted }: { stock: Stock } & Pick<ObjectStockProps, 'obstacle' | 'onCounted'>) {
  const { sku, name = sku, locationId, locationName = locationId, onHand, reserved, safetyStock, atp } = stock;
  const [typed, setTyped] = useState<string>();
  const counts = (): Promise<void> =>
    act(`count ${locationId}`, async () => {
      await control('count-stock-by-hand', { params: { sku, locationId }, body: { onHand: Number(typed ?? onHand) } });
      setTyped(undefined);
      onCounted();
      return `Counted: ${counted(Number(typed ?? onHand), 'unit')} of ${name} at ${locationName}.`;
    });
  return (
    <li>
      <strong title={locationId}>{locationName}</strong>
      <span class="muted">
        {[
          `${onHand.toLocaleString('en')} on hand`,
          `${reserved.toLocaleString('en')} reserved`,
          `${atp.toLocaleString('en')} available to promise`,
          ...(safetyStock > 0 ? [`${safetyStock.toLocaleString('en')} safety stock`] : []),
        ].join(', ')}
      </span>
      <form
        class="line"
        onSubmit={(event: Event) => {
          event.preventDefault();
          if (obstacle === undefined) void counts();
        }}
      >
        <input
          type="number"
          min={0}
          max={MOST_UNITS}
          step={1}
          required
          aria-label={`Units of ${name} on hand at ${locationName}`}
          value={typed ?? String(onHand)}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <button type="submit" aria-disabled={obstacle !== undefined || busy.value !== undefined ? 'true' : undefined}>
          Count
        </button>
      </form>
    </li>
  );
}
