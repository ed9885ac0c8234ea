import type { Output } from '../data/control.ts';

export type SwapInUse = Output<'list-swaps'>['items'][number];
export type Fidelity = Output<'read-fidelity'>['items'][number];
