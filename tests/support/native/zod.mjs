import { native } from './native.ts';

export const { z } = native('zod');
