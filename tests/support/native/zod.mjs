import { native } from './native.mjs';

export const { z } = native('zod');
