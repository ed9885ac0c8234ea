import { describe, expect, test } from '@jest/globals';
import type { TestRehearsal } from '../support/estate.ts';
import { packed, scene as fulfilling } from './oms-fulfilment-scenes.ts';
import { ordering, TTL } from './oms-scenes.ts';
import { begin, CASH, pay, voidIt } from './till-scenes.ts';

const RESERVATIONS = '/inventory/reservations';
const LAMP = { sku: 'lamp-last-one', qty: 1 };
