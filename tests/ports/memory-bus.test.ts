import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { busSuite } from './bus-suite.ts';

busSuite('memory', async () => createMemoryBus());
