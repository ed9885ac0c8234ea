import { createMemoryStore } from '../../shared/store/memory-store.ts';
import { storeSuite } from './store-suite.ts';

storeSuite('memory', async () => createMemoryStore());
