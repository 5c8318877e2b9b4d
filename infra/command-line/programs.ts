/** The programs that run beside the API, each from a configuration: what they are given, and what they say of themselves. */
import { createNode } from '../../ingest/chain-a/node.ts'
import { chainAContracts } from '../../ingest/chain-a/presets.ts'
import { createRpcSenderReader } from '../../ingest/chain-a/read-senders.ts'
import { createRpcSource } from '../../ingest/chain-a/rpc-source.ts'
import { createIngestCodecs } from '../../ingest/codecs.ts'
import { type IngestProgress, runIngest } from '../../ingest/main.ts'
import { createChainlinkReader } from '../../ingest/prices/chainlink.ts'
import { createSimulator } from '../../ingest/simulator/simulator.ts'
import type { ChainSource, PriceReader, SenderReader } from '../../ingest/source.ts'
import { runStage } from '../../processors/main.ts'
import { chainATopology } from '../../processors/topology.ts'
import { runProjections } from '../../projections/run.ts'
import { rulesVersion } from '../../schemas/chain-a/rules.ts'
import { chainAPartitionCount } from '../../schemas/topics.ts'
import { createDatabase } from '../clickhouse/database.ts'
import type { Config } from '../config.ts'
import { type OpenLog, openLog } from '../open-log.ts'
import type { Logger } from '../telemetry.ts'
import type { Progress } from './program-thread.ts'

export type ProgramName = 'ingest' | 'process' | 'project'

export type ProgramContext = Readonly<{
  config: Config
  logger: Logger
  signal: AbortSignal
  report: (progress: Progress) => void
}>

export const programs: Readonly<Record<ProgramName, (context: ProgramContext) => Promise<void>>> = {
  ingest: (context) => withLog(context, (open) => ingest(context, open)),
  process: (context) => withLog(context, (open) => process(context, open)),
  project: (context) => withLog(context, (open) => project(context, open)),
}

const nowMs = () => Date.now()
const maintainEveryMs = 600_000

async function withLog({ config }: ProgramContext, run: (open: OpenLog) => Promise<void>): Promise<void> {
  const open = await openLog({ dataDir: config.DATA_DIR, nowMs })
  try {
    await run(open)
  } finally {
    await open.close()
  }
}

async function ingest(context: ProgramContext, { log, registry }: OpenLog): Promise<void> {
  const { logger, signal, report } = context
  const maintaining = setInterval(() => {
    log.maintain(nowMs()).catch((error) => logger.error({ err: error }, 'retention failed; it is tried again later'))
  }, maintainEveryMs)
  try {
    await runIngest({
      ...outsideOf(context),
      log,
      codecs: await createIngestCodecs(registry),
      partitionCount: chainAPartitionCount,
      rulesVersion,
      nowMs,
      logger,
      signal,
      onProgress: (progress) =>
        report({ program: 'ingest', text: ingestText(progress), isLive: progress.phase === 'live' }),
    })
  } finally {
    clearInterval(maintaining)
  }
}

type Outside = Readonly<{ source: ChainSource; readSenders: SenderReader; readPrice: PriceReader | null }>

/** With a node configured, the chain; without, the simulated market. */
function outsideOf({ config, logger }: ProgramContext): Outside {
  if (config.CHAIN_A_RPC_URL === undefined) return createSimulator({ seed: config.SIMULATOR_SEED, nowMs })
  const contracts = chainAContracts(config.CHAIN_A_PRESET, config.CHAIN_A_CONTRACTS)
  const node = createNode({ urls: config.CHAIN_A_RPC_URL })
  const { ethUsdFeed } = contracts
  return {
    source: createRpcSource({
      node,
      contracts,
      lagBlocks: config.CHAIN_A_LAG_BLOCKS,
      logRangeMax: config.CHAIN_A_LOG_RANGE_MAX,
      logger,
    }),
    readSenders: createRpcSenderReader({ node }),
    readPrice: ethUsdFeed === null ? null : createChainlinkReader({ node, feed: ethUsdFeed, logger }),
  }
}

const ingestText = ({ phase, toBlock, headBlock, toAtMs, facts }: IngestProgress): string =>
  `${phase}: block ${toBlock} of ${headBlock} (${new Date(toAtMs).toISOString()}), ${facts} facts`

async function process({ logger, signal, report }: ProgramContext, { log, registry }: OpenLog): Promise<void> {
  const codecs = await createIngestCodecs(registry)
  await runStage(
    {
      log,
      factCodec: codecs.facts,
      derivedCodec: codecs.derived,
      processors: chainATopology,
      rulesVersion,
      nowMs,
      logger,
      onProgress: ({ partition, knownAtMs, isFolding, factsPerSecond, tokens }) => {
        const what = isFolding ? 'folding again' : 'processed'
        const text = `partition ${partition} ${what} to ${new Date(knownAtMs).toISOString()}, ${Math.round(factsPerSecond)} facts/s, ${tokens} tokens`
        report({ program: 'process', text, isLive: nowMs() - knownAtMs < 10_000 })
      },
    },
    signal,
  )
}

async function project({ config, logger, signal, report }: ProgramContext, { log, registry }: OpenLog): Promise<void> {
  const database = await createDatabase({ url: config.CLICKHOUSE_URL, dataDir: config.DATA_DIR, role: 'writer' })
  try {
    await runProjections({
      log,
      registry,
      database,
      logger,
      signal,
      onProgress: ({ knownAtMs, rowCount, isAtEnd }) =>
        report({
          program: 'project',
          text: `${rowCount} rows to ${new Date(knownAtMs).toISOString()}`,
          isLive: isAtEnd,
        }),
    })
  } finally {
    await database.close()
  }
}
