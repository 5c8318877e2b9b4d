import type { Pattern } from './check-imports.ts'

/**
 * A room is a set of files that may import the same things: its own files, and what `mayImport` lists. Packages are written
 * `npm:`, with their subpath; Node's own modules `node:`. Whatever is not listed fails.
 */
export type Room = Readonly<{ files: readonly Pattern[]; mayImport: readonly Pattern[]; says: string }>

/** Errors, telemetry, configuration, the port of the log and the codec of records: what every program may use. */
const machinery = ['infra/*.ts', 'infra/log/*.ts', '!infra/log/open-log.ts', 'infra/codec/*.ts']

/** What a program's composition may use besides its own folder: it opens the log and the tables. */
const composition = [
  'schemas/**',
  'infra/*.ts',
  'infra/log/*.ts',
  'infra/codec/*.ts',
  'infra/clickhouse/*.ts',
  'node:**',
]

const schemas: readonly Room[] = [
  {
    files: ['schemas/topics.ts'],
    mayImport: ['schemas/**'],
    says: 'the table of topics imports schemas only',
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
    files: ['schemas/<chain>/**'],
    mayImport: ['schemas/*.ts'],
    says: 'schemas of a chain import schemas: no package, no other chain, nothing outside schemas',
  },
]

const infra: readonly Room[] = [
  {
    files: ['infra/codec/avro/**'],
    mayImport: ['schemas/*.ts', 'infra/errors.ts', 'node:assert/strict'],
    says: 'the Avro reader and writer import schemas and nothing of the outside',
  },
  {
    files: ['infra/codec/*.ts'],
    mayImport: ['schemas/*.ts', 'infra/*.ts', 'infra/codec/avro/*.ts', 'npm:avsc'],
    says: 'the codec imports schemas, infra/codec/avro and avsc',
  },
  {
    files: ['infra/codec/registry/**'],
    mayImport: [
      'schemas/*.ts',
      'infra/*.ts',
      'infra/codec/*.ts',
      'infra/data-dir/lmdb.ts',
      'npm:@confluentinc/schemaregistry/**',
      'node:**',
    ],
    says: 'only the registry clients import @confluentinc/schemaregistry',
  },
  {
    files: ['infra/clickhouse/**'],
    mayImport: ['infra/*.ts', 'npm:@clickhouse/client', 'npm:chdb/connection', 'node:**'],
    says: 'only infra/clickhouse imports the ClickHouse client and engine, and it knows no table',
  },
  {
    files: ['infra/data-dir/**'],
    mayImport: ['infra/*.ts', 'npm:lmdb', 'node:**'],
    says: 'the data directory imports lmdb and no program',
  },
  {
    files: ['infra/kafka-client/kafkajs-parts.ts'],
    mayImport: ['infra/*.ts', 'infra/kafka-client/*.ts', 'npm:kafkajs', 'npm:kafkajs/src/**', 'node:**'],
    says: 'the private modules of kafkajs are loaded here and nowhere else',
  },
  {
    files: ['infra/kafka-client/**'],
    mayImport: ['infra/*.ts', 'infra/log/record-batch.ts', 'npm:kafkajs', 'node:**'],
    says: 'the Kafka client imports kafkajs and the record batches of the log: no port, no adapter, no program',
  },
  {
    files: ['infra/log/<adapter>/open-*.ts'],
    mayImport: [
      'schemas/*.ts',
      'infra/*.ts',
      'infra/log/*.ts',
      'infra/log/<adapter>/*.ts',
      'infra/codec/*.ts',
      'infra/codec/registry/*.ts',
    ],
    says: 'what opens an adapter of the log imports the port, its adapter and the registries',
  },
  {
    files: ['infra/log/open-log.ts'],
    mayImport: [
      'schemas/topics.ts',
      'infra/*.ts',
      'infra/log/*.ts',
      'infra/log/*/*.ts',
      'infra/codec/*.ts',
      'infra/codec/registry/*.ts',
    ],
    says: 'the adapter of the log is chosen here: it imports the adapters and no program',
  },
  {
    files: ['infra/log/*.ts'],
    mayImport: ['schemas/*.ts', 'infra/*.ts', 'infra/codec/*.ts', 'infra/codec/avro/*.ts'],
    says: 'the port of the log imports no adapter',
  },
  {
    files: ['infra/log/memory/**'],
    mayImport: ['schemas/*.ts', 'infra/*.ts', 'infra/log/*.ts', '!infra/log/open-log.ts'],
    says: 'an adapter of the log imports the port and its own parts',
  },
  {
    files: ['infra/log/embedded/**'],
    mayImport: [
      'schemas/*.ts',
      'infra/*.ts',
      'infra/log/*.ts',
      '!infra/log/open-log.ts',
      'infra/data-dir/lmdb.ts',
      'node:**',
    ],
    says: 'an adapter of the log imports the port and its own parts',
  },
  {
    files: ['infra/log/kafka/**'],
    mayImport: [
      'schemas/*.ts',
      'infra/*.ts',
      'infra/log/*.ts',
      '!infra/log/open-log.ts',
      'infra/kafka-client/**',
      'npm:kafkajs',
      'node:**',
    ],
    says: 'an adapter of the log imports the port and its own parts',
  },
  {
    files: ['infra/development/kafka/**'],
    mayImport: ['infra/*.ts', 'infra/data-dir/process-start.ts', 'node:**'],
    says: 'the local Kafka starts processes and imports no program',
  },
  {
    files: ['infra/development/payments/compile-*.js'],
    mayImport: ['infra/development/payments/*', 'npm:solc', 'node:**'],
    says: 'the compiler of the local dollar imports solc',
  },
  {
    files: ['infra/development/payments/**'],
    mayImport: [
      'infra/*.ts',
      'npm:viem',
      'npm:viem/*',
      'npm:@x402/core/*',
      'npm:@x402/evm',
      'npm:@x402/evm/exact/*',
      'npm:@foundry-rs/anvil/package.json',
      // The package of this machine's platform.
      'npm:?',
      'node:**',
    ],
    says: 'local payments import viem, x402 and anvil, and no program',
  },
  {
    files: ['infra/command-line/pay.ts'],
    mayImport: [
      'infra/*.ts',
      'infra/development/payments/*.ts',
      'npm:@x402/core/http',
      'npm:@x402/evm/exact/client',
      'npm:@x402/fetch',
      'npm:viem',
      'npm:viem/accounts',
    ],
    says: 'the buyer on the command line imports viem and the x402 client',
  },
  {
    files: ['infra/command-line/**'],
    mayImport: [
      'schemas/*.ts',
      'infra/**',
      '!infra/kafka-client/**',
      'ingest/main.ts',
      'processors/main.ts',
      'projections/main.ts',
      'api/main.ts',
      'npm:commander',
      'npm:log-update',
      'npm:tsx/esm/api',
      'npm:zod',
      'node:**',
    ],
    says: 'the command line imports infra and the four main.ts, and knows nothing else of the programs',
  },
  {
    files: ['infra/*.ts'],
    mayImport: ['schemas/*.ts', 'npm:zod', 'npm:pino', 'node:**'],
    says: 'infra imports schemas that all chains share, and no program',
  },
]

const ingest: readonly Room[] = [
  {
    files: ['ingest/main.ts', 'ingest/chains.ts'],
    mayImport: [...composition, 'ingest/**'],
    says: 'the composition of ingest imports schemas, infra and ingest',
  },
  {
    files: ['ingest/*.ts', 'ingest/lookups/**'],
    mayImport: ['schemas/*.ts', ...machinery, '!ingest/main.ts', '!ingest/chains.ts', 'node:**'],
    says: 'what ingests any chain imports no chain, no package and no other program',
  },
  {
    files: ['ingest/<chain>/**'],
    mayImport: [
      'schemas/*.ts',
      'schemas/<chain>/*.ts',
      ...machinery,
      'ingest/*.ts',
      'ingest/lookups/*.ts',
      '!ingest/main.ts',
      '!ingest/chains.ts',
      'npm:viem',
      'npm:zod',
      'node:**',
    ],
    says: 'a chain of ingest imports schemas, infra, ingest, viem and zod, and no other chain',
  },
]

const processors: readonly Room[] = [
  {
    files: ['processors/main.ts', 'processors/stages.ts'],
    mayImport: [...composition, 'processors/**'],
    says: 'the composition of processors imports schemas, infra and processors',
  },
  {
    files: ['processors/runtime/**'],
    mayImport: [
      'schemas/*.ts',
      'processors/*.ts',
      '!processors/main.ts',
      '!processors/stages.ts',
      ...machinery,
      'npm:zod',
      'node:**',
    ],
    says: 'the runtime imports schemas that all chains share and infra, and no chain',
  },
  {
    files: ['processors/*.ts'],
    mayImport: ['schemas/*.ts', 'node:assert/strict'],
    says: 'what all rules share imports schemas: no chain, no package, no infra',
  },
  {
    files: ['processors/<chain>/views/**'],
    mayImport: ['schemas/*.ts', 'schemas/<chain>/*.ts', 'infra/codec/avro/*.ts'],
    says: 'a view imports schemas and infra/codec/avro',
  },
  {
    files: ['processors/<chain>/**'],
    mayImport: [
      'schemas/*.ts',
      'schemas/<chain>/*.ts',
      'processors/*.ts',
      '!processors/main.ts',
      '!processors/stages.ts',
      '!processors/<chain>/views/**',
      'node:assert/strict',
    ],
    says: 'a rule imports schemas and rules of its chain: no package, no infra, nothing of the outside',
  },
]

const projections: readonly Room[] = [
  {
    files: ['projections/main.ts', 'projections/projections.ts'],
    mayImport: [...composition, 'projections/**'],
    says: 'the composition of projections imports schemas, infra and projections',
  },
  {
    files: ['projections/*.ts', 'projections/sink/**'],
    mayImport: [
      'schemas/*.ts',
      ...machinery,
      'infra/clickhouse/*.ts',
      'projections/tables',
      'projections/tables/*',
      '!projections/main.ts',
      '!projections/projections.ts',
      'node:**',
    ],
    says: 'what projects any chain imports no chain and no other program',
  },
  {
    files: ['projections/<chain>/**'],
    mayImport: [
      'schemas/*.ts',
      'schemas/<chain>/*.ts',
      'projections/*.ts',
      '!projections/main.ts',
      '!projections/projections.ts',
      'infra/errors.ts',
      'infra/clickhouse/database.ts',
      'node:assert/strict',
    ],
    says: 'projections of a chain import schemas, projections and the database, and no other chain',
  },
]

const api: readonly Room[] = [
  {
    files: ['api/main.ts', 'api/routes.ts'],
    mayImport: [
      ...composition,
      'api/**',
      'infra/data-dir/secrets.ts',
      'infra/development/payments/start-local-payments.ts',
      'projections/cuts.ts',
      'projections/*/queries/*.ts',
    ],
    says: 'the composition of the API imports schemas, infra, api and the queries of projections',
  },
  {
    files: ['api/x402-koa/**'],
    mayImport: ['api/payments/payment.ts', 'npm:koa'],
    says: 'the x402 adapter for Koa stands alone: it imports Koa and the words of a payment',
  },
  {
    files: ['api/payments/**'],
    mayImport: [
      'schemas/*.ts',
      ...machinery,
      'npm:@x402/core/*',
      'npm:@x402/evm/exact/server',
      'npm:viem',
      'npm:zod',
      'node:**',
    ],
    says: 'payments import x402, viem and infra, and know no route and no chain',
  },
  {
    files: ['api/*.ts', 'api/edge/**'],
    mayImport: [
      'schemas/*.ts',
      ...machinery,
      'projections/cuts.ts',
      'api/payments/*.ts',
      'api/x402-koa/*.ts',
      '!api/main.ts',
      '!api/routes.ts',
      'npm:@koa/cors',
      'npm:@koa/router',
      'npm:koa',
      'npm:koa-helmet',
      'npm:rate-limiter-flexible',
      'npm:zod',
      'node:**',
    ],
    says: 'what serves any route imports no chain and no query',
  },
  {
    files: ['api/<chain>/**'],
    mayImport: [
      'schemas/*.ts',
      'schemas/<chain>/*.ts',
      'api/*.ts',
      '!api/main.ts',
      '!api/routes.ts',
      'api/edge/params.ts',
      'api/edge/refusals.ts',
      'projections/cuts.ts',
      'projections/<chain>/queries/*.ts',
      'npm:zod',
      'node:crypto',
    ],
    says: 'routes of a chain import schemas, the parts of a route and the queries of their chain',
  },
]

const others: readonly Room[] = [
  {
    files: ['test/support/oracle/**'],
    mayImport: ['schemas/**', 'test/**', 'npm:**', 'node:**'],
    says: 'an oracle shares no code with what it checks',
  },
  { files: ['test/**'], mayImport: ['**'], says: 'tests may import anything' },
  { files: ['.ci/**'], mayImport: ['package-lock.json', 'node:**'], says: 'scripts of the build need no package' },
]

/** The first room that fits a file is the file's, so the particular stand before the general. */
export const rooms: readonly Room[] = [
  ...schemas,
  ...infra,
  ...ingest,
  ...processors,
  ...projections,
  ...api,
  ...others,
]
