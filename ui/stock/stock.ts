import './stock.css';
import { h } from 'preact';
import type { PageProps } from '../shell/page.ts';
import { StockItem } from './stock-item.ts';
import { StockList } from './stock-list.ts';

/** The stock of a rehearsal: every SKU by location, or one SKU with the reservations that hold it. */
export const Stock = ({ rehearsal, rest: [sku], query }: PageProps) =>
  sku === undefined ? h(StockList, { rehearsal, query }) : h(StockItem, { key: sku, rehearsal, sku });
