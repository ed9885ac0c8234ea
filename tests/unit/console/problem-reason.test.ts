import { expect, test } from '@jest/globals';
import { reasonOf } from '../../../ui/activity/problem-reason.ts';

test.each([
  ['the detail of a problem', { code: 'insufficient_stock', detail: 'Not enough stock.' }, 'Not enough stock.'],
  ['its only mistake, with the place', { detail: 'Some values.', errors: [{ pointer: '/qty', detail: 'Too few.' }] }, '/qty: Too few.'],
  [
    'the first three of several mistakes, each with its place',
    { errors: ['', '/a', '/b', '/c', '/d'].map((pointer) => ({ pointer, detail: 'No.' })) },
    'The body: No. /a: No. /b: No. (and 2 more)',
  ],
  ['missing without either', { code: 'teapot' }, undefined],
  ['missing in an answer that is not a problem', 'Bad gateway', undefined],
  ['missing without an answer', undefined, undefined],
])('The reason of a refusal is %s', (_what, response, reason) => expect(reasonOf(response)).toBe(reason));
