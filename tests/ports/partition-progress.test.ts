import { expect, test } from '@jest/globals';
import { PartitionProgress } from '../../shared/events/partition-progress.ts';

test('Progress ends before the first undelivered offset, regardless of later deliveries', () => {
  const progress = new PartitionProgress(10);
  for (const offset of [10, 11, 12]) progress.taken(offset);
  progress.delivered(12);
  progress.delivered(11);
  expect(progress.uncommitted()).toBe(10);
  progress.delivered(10);
  expect(progress.uncommitted()).toBe(13);
});

test('Progress skips empty offsets after all earlier ones are delivered', () => {
  const progress = new PartitionProgress(0);
  progress.taken(0);
  progress.passed(5);
  expect(progress.uncommitted()).toBe(0);
  progress.delivered(0);
  expect(progress.uncommitted()).toBe(6);
  expect(progress.next).toBe(6);
});

test('The progress is committed once for each offset', () => {
  const progress = new PartitionProgress(0);
  progress.taken(0);
  progress.delivered(0);
  progress.committed(1);
  expect(progress.uncommitted()).toBeUndefined();
  progress.taken(1);
  expect(progress.uncommitted()).toBeUndefined();
  progress.delivered(1);
  expect(progress.uncommitted()).toBe(2);
});
