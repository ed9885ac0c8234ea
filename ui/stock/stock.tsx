import './stock.css';
import type { PageProps } from '../shell/page.ts';
import { StockItem } from './stock-item.tsx';
import { StockList } from './stock-list.tsx';

/** The stock of a rehearsal: every SKU by location, or one SKU with the reservations that hold it. */
export const Stock = ({ rehearsal, rest: [sku], query }: PageProps) =>
  sku === undefined ? <StockList rehearsal={rehearsal} query={query} /> : <StockItem key={sku} rehearsal={rehearsal} sku={sku} />;
