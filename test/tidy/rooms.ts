import type { Room } from './check-imports.ts'
import { infraRooms } from './infra-rooms.ts'

/**
 * The files that every program may use: errors, telemetry, configuration, the log interface, the record codec
 * and the metrics of a thread.
 */
const machinery = [
  'infra/*.ts',
  'infra/log/*.ts',
  '!infra/log/open-log.ts',
  'infra/codec/*.ts',
  'infra/metrics/metrics.ts',
]

/**
 * The files that the main modules of a program may import in addition to their own folder. These modules open
 * the log and the tables, and list the chains or stages.
 */
const composition = [
  'schemas/**',
  'infra/*.ts',
  'infra/log/*.ts',
  'infra/codec/*.ts',
  'infra/clickhouse/*.ts',
  'infra/metrics/metrics.ts',
  'node:**',
]

const schemas: readonly Room[] = [
  {
    files: ['schemas/topics.ts'],
    mayImport: ['schemas/**'],
    says: 'the table of topics imports schemas only',
  },
  {
    files: ['schemas/rules.ts'],
    mayImport: ['schemas/**', 'npm:zod'],
    says: 'the rules of all stages import schemas and zod',
  },
  {
    files: ['schemas/rule-values.ts', 'schemas/exits.ts'],
    mayImport: ['schemas/rule-values.ts', 'schemas/units.ts', 'npm:zod'],
    says: 'what rules are made of imports zod and no chain',
  },
  {
    files: ['schemas/*.ts'],
    mayImport: [],
    says: 'a word that all chains share imports no chain, no package and nothing outside schemas',
  },
  {
    files: ['schemas/<chain>/resources.ts'],
    mayImport: ['schemas/*.ts', 'schemas/<chain>/*.ts', 'npm:zod'],
    says: 'the shapes of answers import schemas and zod',
  },
  {
    files: ['schemas/calls/rules.ts', 'schemas/calls/grades.ts', 'schemas/desk/rules.ts'],
    mayImport: ['schemas/*.ts', 'schemas/calls/*.ts', 'schemas/desk/*.ts', 'npm:zod'],
    says: 'the rules of calls and of the desk import the words of every chain and zod',
  },
  {
    files: ['schemas/<chain>/numbers.ts', 'schemas/<chain>/copy-rules.ts'],
    mayImport: ['schemas/*.ts', 'schemas/<chain>/*.ts', 'schemas/calls/*.ts', 'schemas/desk/*.ts', 'npm:zod'],
    says: 'the rules of a chain import its schemas and zod',
  },
  {
    files: ['schemas/calls/**', 'schemas/desk/**'],
    mayImport: ['schemas/*.ts', 'schemas/calls/*.ts', 'schemas/desk/*.ts'],
    says: 'the words of calls and of the desk are those of every chain: they import no chain',
  },
  {
    files: ['schemas/<chain>/**'],
    mayImport: ['schemas/*.ts', 'schemas/calls/*.ts', 'schemas/desk/*.ts'],
    says: 'schemas of a chain import schemas: no package, no other chain, nothing outside schemas',
  },
]

const ingest: readonly Room[] = [
  {
    files: ['ingest/main.ts', 'ingest/chains.ts'],
    mayImport: [...composition, 'ingest/**'],
    says: 'the composition of ingest imports schemas, infra and ingest',
  },
  {
    files: ['ingest/followed-tokens.ts'],
    mayImport: [
      'schemas/*.ts',
      'schemas/calls/addresses.ts',
      'schemas/calls/following.ts',
      'infra/codec/schema-codec.ts',
    ],
    says: 'which tokens were called is read by the words of calls',
  },
  {
    files: ['ingest/*.ts', 'ingest/lookups/**', 'ingest/node/**', 'ingest/simulated/**'],
    mayImport: ['schemas/*.ts', ...machinery, '!ingest/main.ts', '!ingest/chains.ts', 'node:**'],
    says: 'what ingests any chain imports no chain, no package and no other program',
  },
  {
    files: ['ingest/chats/mtproto/**'],
    mayImport: [
      'schemas/*.ts',
      'schemas/chats/*.ts',
      ...machinery,
      'ingest/*.ts',
      'ingest/chats/*.ts',
      '!ingest/main.ts',
      '!ingest/chains.ts',
      'npm:@mtcute/node',
      'npm:zod',
      'node:**',
    ],
    says: 'only ingest/chats/mtproto imports the client of the chat platform',
  },
  {
    files: ['ingest/chats/preview/**'],
    mayImport: [
      'schemas/*.ts',
      'schemas/chats/*.ts',
      ...machinery,
      'ingest/*.ts',
      'ingest/chats/*.ts',
      '!ingest/main.ts',
      '!ingest/chains.ts',
      'npm:node-html-parser',
      'node:**',
    ],
    says: 'only ingest/chats/preview imports a parser of HTML',
  },
  {
    files: ['ingest/mentions/**'],
    mayImport: [
      'schemas/*.ts',
      'schemas/chats/*.ts',
      'schemas/calls/*.ts',
      ...machinery,
      'ingest/*.ts',
      '!ingest/main.ts',
      '!ingest/chains.ts',
      'node:**',
    ],
    says: 'what posts say of tokens imports the words of chats and calls, and the infra of ingest: no chain, no package',
  },
  {
    files: ['ingest/prices/**'],
    mayImport: [
      'schemas/*.ts',
      'schemas/calls/*.ts',
      ...machinery,
      'ingest/*.ts',
      'ingest/lookups/*.ts',
      'ingest/simulated/**',
      'npm:zod',
    ],
    says: 'prices from outside are those of every chain: they import no chain',
  },
  {
    files: ['ingest/<chain>/**'],
    mayImport: [
      'schemas/*.ts',
      'schemas/<chain>/*.ts',
      'schemas/calls/*.ts',
      'ingest/prices/**',
      'ingest/mentions/naming.ts',
      ...machinery,
      'ingest/*.ts',
      'ingest/lookups/*.ts',
      'ingest/node/*.ts',
      'ingest/simulated/**',
      '!ingest/main.ts',
      '!ingest/chains.ts',
      // These modules read bytes in place and cache repeated texts.
      'infra/codec/avro/text-cache.ts',
      'infra/codec/avro/viewed-bytes.ts',
      'npm:viem',
      'npm:@solana/kit',
      'npm:helius-sdk/**',
      'npm:ws',
      'npm:zod',
      'node:**',
    ],
    says: 'a chain of ingest imports schemas, infra, ingest, viem, @solana/kit, helius-sdk, ws and zod, and no other chain',
  },
]

const rulesOfEveryChain = [
  'schemas/*.ts',
  'schemas/calls/*.ts',
  'schemas/desk/*.ts',
  'processors/*.ts',
  'processors/markets/**',
  'processors/calls/**',
  'processors/desk/**',
  '!processors/main.ts',
  '!processors/stages.ts',
]

const processors: readonly Room[] = [
  {
    files: ['processors/main.ts', 'processors/backtest-main.ts', 'processors/stages.ts'],
    mayImport: [...composition, 'processors/**'],
    says: 'the composition of processors imports schemas, infra and processors',
  },
  {
    files: ['processors/runtime/**'],
    mayImport: [
      'schemas/*.ts',
      'processors/*.ts',
      'processors/markets/markets.ts',
      'processors/markets/move.ts',
      '!processors/main.ts',
      '!processors/stages.ts',
      ...machinery,
      'npm:zod',
      'node:**',
    ],
    says: 'the runtime imports schemas that all chains share and infra, and no chain',
  },
  {
    files: ['processors/backtest/**'],
    mayImport: [
      'schemas/*.ts',
      'processors/*.ts',
      'processors/runtime/**',
      'infra/statistics/*.ts',
      '!processors/main.ts',
      '!processors/stages.ts',
      ...machinery,
    ],
    says: 'a backtest runs any stage again: it imports the runtime and no chain',
  },
  {
    files: ['processors/*.ts'],
    mayImport: [
      'schemas/*.ts',
      // Every processor may read the markets in which its token trades.
      'processors/markets/markets.ts',
      'processors/markets/move.ts',
      '!processors/main.ts',
      '!processors/stages.ts',
      'node:assert/strict',
    ],
    says: 'what all rules share imports schemas: no chain, no package, no infra',
  },
  {
    files: ['processors/<chain>/views/**'],
    mayImport: ['schemas/*.ts', 'schemas/<chain>/*.ts', 'infra/codec/avro/*.ts'],
    says: 'a view imports schemas and infra/codec/avro',
  },
  {
    files: ['processors/markets/**', 'processors/calls/**', 'processors/desk/**'],
    mayImport: [...rulesOfEveryChain, 'node:assert/strict'],
    says: 'the rules of markets, of calls and of the desk are those of every chain: they import no chain, no package, no infra',
  },
  {
    files: ['processors/<chain>/**'],
    mayImport: [...rulesOfEveryChain, 'schemas/<chain>/*.ts', '!processors/<chain>/views/**', 'node:assert/strict'],
    says: 'a rule imports schemas and rules of its chain: no package, no infra, nothing of the outside',
  },
]

/** The files that the projections of chains, chats, calls and the desk may use. */
const ofProjections = [
  'schemas/*.ts',
  'schemas/<chain>/*.ts',
  'schemas/calls/*.ts',
  'schemas/desk/*.ts',
  'projections/calls/**',
  'projections/desk/**',
  'projections/trade-gaps/**',
  // Calls come from chat posts. Therefore the answers about calls also report how completely chats are read.
  'projections/chats/queries/*.ts',
  'projections/*.ts',
  '!projections/main.ts',
  '!projections/projections.ts',
  'infra/base58.ts',
  'infra/errors.ts',
  'infra/clickhouse/database.ts',
  'infra/statistics/*.ts',
  'node:assert/strict',
]

const projections: readonly Room[] = [
  {
    files: ['projections/main.ts', 'projections/projections.ts'],
    mayImport: [...composition, 'projections/**'],
    says: 'the composition of projections imports schemas, infra and projections',
  },
  {
    files: ['projections/*.ts', 'projections/sink/**', 'projections/trade-gaps/**'],
    mayImport: [
      'schemas/*.ts',
      ...machinery,
      'infra/clickhouse/*.ts',
      'projections/tables',
      'projections/migrations/',
      'projections/trade-gaps/**',
      '!projections/main.ts',
      '!projections/projections.ts',
      'node:**',
    ],
    says: 'what projects any chain imports no chain and no other program',
  },
  {
    // Queries about calls need the stage of the chats, because calls come from chat posts.
    files: ['projections/calls/**'],
    mayImport: [...ofProjections, 'schemas/chats/stage.ts'],
    says: 'the projections of calls import the words of chats and of calls, and no chain',
  },
  {
    files: ['projections/<chain>/**'],
    mayImport: ofProjections,
    says: 'projections of a chain import schemas, projections and the database, and no other chain',
  },
]

const api: readonly Room[] = [
  {
    files: ['api/main.ts', 'api/replay-main.ts', 'api/money.ts', 'api/stream/pushing.ts', 'api/sources.ts'],
    mayImport: [
      ...composition,
      'api/**',
      'infra/data-dir/secrets.ts',
      'infra/development/payments/start-local-payments.ts',
      'projections/batch-signal.ts',
      'projections/cuts.ts',
      'projections/*/queries/*.ts',
      'projections/*/called-chain.ts',
    ],
    says: 'the composition of the API imports schemas, infra, api and the queries of projections',
  },
  {
    files: ['api/replay/**'],
    mayImport: [
      'schemas/*.ts',
      ...machinery,
      'api/payments/payment.ts',
      'projections/cuts.ts',
      'npm:koa',
      'node:crypto',
    ],
    says: 'a replay turns the clock, the cuts and the gate of the API: it knows no route and no chain',
  },
  {
    files: ['api/x402-koa/**'],
    mayImport: ['api/payments/payment.ts', 'npm:koa'],
    says: 'the x402 adapter for Koa stands alone: it imports Koa and the words of a payment',
  },
  ...['evm', 'svm'].map((network) => ({
    files: [`api/payments/${network}/**`],
    mayImport: [
      'api/payments/payment-network.ts',
      'api/recent-counts.ts',
      ...machinery,
      `npm:@x402/${network}/exact/server`,
      'npm:@x402/core/*',
      'npm:@solana/kit',
      'npm:viem',
      'npm:zod',
      'node:**',
    ],
    says: 'a payment network knows neither the ledger nor the sale, and no other network',
  })),
  {
    files: ['api/payments/**'],
    mayImport: [
      'api/recent-counts.ts',
      'schemas/*.ts',
      ...machinery,
      'npm:@x402/core/*',
      'npm:@x402/evm/exact/server',
      'npm:@x402/svm/exact/server',
      'npm:@solana/kit',
      'npm:@x402/extensions/*',
      'npm:viem',
      'npm:zod',
      'node:**',
    ],
    says: 'payments import x402, viem, @solana/kit and infra, and know no route and no chain',
  },
  {
    files: ['api/mcp/**'],
    mayImport: [
      'infra/telemetry.ts',
      'api/free-route.ts',
      'api/route.ts',
      'api/http/middleware.ts',
      'api/payments/payment.ts',
      'api/payments/offers/format-usd.ts',
      'api/sale/*.ts',
      'api/x402-koa/*.ts',
      'npm:@modelcontextprotocol/*',
      'npm:koa',
      'npm:zod',
      'node:**',
    ],
    says: 'what serves tools imports routes as values, sales and the SDK of MCP: no chain and no query',
  },
  {
    files: ['api/desk/**'],
    mayImport: [
      'schemas/*.ts',
      'schemas/desk/*.ts',
      'projections/cuts.ts',
      'projections/desk/queries/*.ts',
      'projections/desk/statistics/*.ts',
      'api/*.ts',
      '!api/main.ts',
      '!api/stream/pushing.ts',
      '!api/sources.ts',
      'api/desk/**',
      'api/sale/params.ts',
      'api/sale/answers.ts',
      'npm:zod',
      'node:crypto',
      'node:timers/promises',
    ],
    says: 'the answers about the desk import the words and queries of the desk, and no chain',
  },
  {
    files: ['api/record/**'],
    mayImport: [
      'schemas/*.ts',
      'projections/cuts.ts',
      'projections/corrections.ts',
      'projections/coverage.ts',
      'projections/trade-gaps/trade-gaps.ts',
      'api/*.ts',
      '!api/main.ts',
      '!api/stream/pushing.ts',
      '!api/sources.ts',
      'api/sale/params.ts',
      'api/sale/answers.ts',
      'npm:zod',
    ],
    says: 'what is told of the own record imports what tables tell of any chain, and no chain',
  },
  {
    files: ['api/front/**'],
    mayImport: [
      'schemas/*.ts',
      'infra/statistics/moments.ts',
      'projections/cuts.ts',
      'api/*.ts',
      '!api/main.ts',
      '!api/stream/pushing.ts',
      '!api/sources.ts',
      'api/record/delayed.ts',
      'api/documents/html.ts',
      'api/documents/page.ts',
      'api/http/failure-log.ts',
      'api/payments/offers/format-usd.ts',
      'api/sale/answers.ts',
      'api/sale/refusals.ts',
      'api/stream/clients.ts',
      'node:fs',
      'node:util',
      'node:zlib',
    ],
    says: 'the front page imports what it shows as values, and no chain and no query',
  },
  {
    files: ['api/*.ts', 'api/edge/**', 'api/http/**', 'api/sale/**', 'api/stream/**', 'api/documents/**'],
    mayImport: [
      'schemas/*.ts',
      ...machinery,
      'schemas/desk/*.ts',
      'projections/batch-signal.ts',
      'projections/cuts.ts',
      // Every row with trades reports which trades are missing.
      'projections/trade-gaps/missing-trades.ts',
      'projections/chats/queries/bot-cards.ts',
      'projections/desk/queries/*.ts',
      // The products (groups of routes that use several sources), and the parts that sources add to them.
      'api/*/parts.ts',
      'api/*/product.ts',
      'api/front/*.ts',
      'api/record/*.ts',
      'api/payments/*.ts',
      'api/payments/offers/format-usd.ts',
      'api/sale/*.ts',
      'api/stream/*.ts',
      'api/documents/*.ts',
      'api/http/*.ts',
      'api/x402-koa/*.ts',
      'api/mcp/serve-mcp.ts',
      'api/mcp/tool.ts',
      '!api/main.ts',
      '!api/stream/pushing.ts',
      '!api/sources.ts',
      'npm:@koa/cors',
      'npm:@koa/router',
      'npm:koa',
      'npm:koa-helmet',
      'npm:@x402/extensions/bazaar',
      'npm:zod',
      'node:**',
    ],
    says: 'what serves any route imports no chain and no query',
  },
  {
    files: ['api/calls/**'],
    mayImport: [
      'schemas/*.ts',
      'schemas/chats/*.ts',
      'schemas/calls/*.ts',
      'schemas/desk/*.ts',
      'projections/calls/called-chain.ts',
      'projections/calls/queries/*.ts',
      'projections/desk/queries/*.ts',
      'api/front/parts.ts',
      'api/*.ts',
      '!api/main.ts',
      '!api/stream/pushing.ts',
      '!api/sources.ts',
      'api/sale/params.ts',
      'api/sale/refusals.ts',
      'projections/cuts.ts',
      'infra/base58.ts',
      'npm:zod',
      'node:crypto',
    ],
    says: 'routes of calls import the words of chats and calls, and their queries: no chain',
  },
  {
    files: ['api/<chain>/**'],
    mayImport: [
      'schemas/*.ts',
      'schemas/<chain>/*.ts',
      'schemas/calls/*.ts',
      'schemas/desk/*.ts',
      'api/calls/resources/*.ts',
      'api/desk/parts.ts',
      'api/desk/resources/*.ts',
      'projections/calls/called-chain.ts',
      'projections/calls/queries/*.ts',
      'projections/desk/queries/*.ts',
      'api/front/parts.ts',
      'api/*.ts',
      '!api/main.ts',
      '!api/stream/pushing.ts',
      '!api/sources.ts',
      'api/sale/params.ts',
      'api/sale/refusals.ts',
      'projections/cuts.ts',
      'projections/<chain>/queries/*.ts',
      'infra/base58.ts',
      'npm:zod',
      'node:crypto',
    ],
    says: 'routes of a chain import schemas, base58, the parts of a route and the queries of their chain',
  },
]

const others: readonly Room[] = [
  {
    files: ['test/support/oracle/chain-b/**'],
    mayImport: ['schemas/*.ts', 'schemas/chain-b/facts.ts', 'schemas/chain-b/derived.ts', 'node:crypto'],
    says: 'the oracle of chain B knows its facts and its records, and no rule or formula of it',
  },
  {
    files: ['test/support/oracle/**'],
    mayImport: ['schemas/**', 'test/**', 'npm:**', 'node:**'],
    says: 'an oracle shares no code with what it checks',
  },
  {
    files: ['test/proofs/calls/verdicts/**'],
    mayImport: [
      'schemas/*.ts',
      'schemas/calls/facts.ts',
      'schemas/chain-a/facts.ts',
      'schemas/chain-a/stage.ts',
      'schemas/chain-b/facts.ts',
      'schemas/chain-b/stage.ts',
      'infra/clickhouse/database.ts',
      'infra/log/scan.ts',
      'ingest/codecs.ts',
      'test/**',
    ],
    says: 'a recount of verdicts knows the facts, the oracles and the recount of calls, and no rule of a program',
  },
  { files: ['test/**'], mayImport: ['**'], says: 'tests may import anything' },
  { files: ['.ci/**'], mayImport: ['package-lock.json', 'node:**'], says: 'scripts of the build need no package' },
]

/**
 * The rooms in order. A file belongs to the first room that matches, so special rooms come before general
 * rooms.
 */
export const rooms: readonly Room[] = [
  ...schemas,
  ...infraRooms,
  ...ingest,
  ...processors,
  ...projections,
  ...api,
  ...others,
]
