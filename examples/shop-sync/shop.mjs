// A shop of Vendure without a storefront. Its database is in memory and ends with the process. Usage: node shop.mjs [port]
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  bootstrap,
  ChannelService,
  DefaultLogger,
  LanguageCode,
  LogLevel,
  PaymentMethodHandler,
  PromotionService,
  RequestContext,
  RequestContextService,
} from '@vendure/core';
import { importProductsFromCsv, populateInitialData } from '@vendure/core/cli/index.js';
import { STAFF } from './vendure.mjs';

process.env.VENDURE_DISABLE_TELEMETRY = 'true';
const at = (file) => fileURLToPath(new URL(file, import.meta.url));
const { promotions, ...data } = JSON.parse(readFileSync(at('shop.json'), 'utf8'));

/** The payment provider of the shop: it takes each payment, and pays each refund out. */
const provider = new PaymentMethodHandler({
  code: 'provider',
  description: [{ languageCode: LanguageCode.en, value: 'Takes each payment' }],
  args: {},
  createPayment: (_context, { code }, amount) => ({ amount, state: 'Settled', transactionId: `ch_${code}` }),
  settlePayment: () => ({ success: true }),
  createRefund: (_context, { reason }) => ({ state: 'Settled', transactionId: `re_${reason}` }),
});

const shop = await bootstrap({
  apiOptions: { hostname: '127.0.0.1', port: Number(process.argv[2] ?? 3100), cors: false },
  authOptions: { tokenMethod: 'bearer', superadminCredentials: { identifier: STAFF.username, password: STAFF.password } },
  dbConnectionOptions: { type: 'sqljs', synchronize: true },
  logger: new DefaultLogger({ level: LogLevel.Error }),
  paymentOptions: { paymentMethodHandlers: [provider] },
});

// A new database: the channel, then what the shop sells, then its promotions.
const { id } = await shop.get(ChannelService).getDefaultChannel();
const euros = { id, defaultCurrencyCode: 'EUR', availableCurrencyCodes: ['EUR'] };
await shop.get(ChannelService).update(RequestContext.empty(), euros);
await populateInitialData(shop, data);
await importProductsFromCsv(shop, at('products.csv'), LanguageCode.en);
const context = await shop.get(RequestContextService).create({ apiType: 'admin' });
for (const promotion of promotions) await shop.get(PromotionService).createPromotion(context, promotion);

process.stdout.write(`The shop is at http://127.0.0.1:${shop.getHttpServer().address().port}\n`);
