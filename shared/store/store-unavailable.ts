import { Problem } from '../catalog/problems.ts';

/** Whether an operation failed because the store is unavailable. The store logs that itself, once for all users. */
export const isStoreUnavailable = (error: unknown): boolean => error instanceof Problem && error.context['dependency'] === 'store';
