/** The programs that run beside the API, each from a configuration: what they are given, and what they say of themselves. */
import { type ChainA, openChainA } from '../../ingest/chain-a/open-chain-a.ts'
import { chainAContracts } from '../../ingest/chain-a/presets.ts'
import { createSimulator } from '../../ingest/chain-a/simulated/simulator.ts'
import { createIngestCodecs } from '../../ingest/codecs.ts'
import { type IngestProgress, runIngest } from '../../ingest/main.ts'
import type { StageDependencies } from '../../processors/runtime/task.ts'
import { chainA } from '../../processors/stages.ts'
import { runProjectionProgram } from '../../projections/main.ts'
import type { ChainARecord } from '../../schemas/chain-a/facts.ts'
import { rulesVersion } from '../../schemas/chain-a/rules.ts'
import { topics } from '../../schemas/topics.ts'
import { createSchemaCodec } from '../codec/schema-codec.ts'
import { isOperationError, OperationError } from '../errors.ts'
import { logSettings, type OpenLog, openLog } from '../log/open-log.ts'
import { runAgain } from '../run-again.ts'
import { runProcessProgram } from './process-program.ts'
import type { ProgramContext, ProgramName } from './program.ts'

export const programs: Readonly<Record<ProgramName, (context: ProgramContext) => Promise<void>>> = {
  ingest: (context) => withLog(context, (open) => ingest(context, open)),
  process: (context) => withLog(context, (open) => process(context, open)),
  project: (context) => withLog(context, (open) => project(context, open)),
}

const nowMs = () => Date.now()
const maintainEveryMs = 600_000

async function withLog({ config, logger }: ProgramContext, run: (open: OpenLog) => Promise<void>): Promise<void> {
  const open = await openLog(logSettings(config, { nowMs, logger }))
  try {
    await run(open)
  } finally {
    await open.close()
  }
}

async function ingest(context: ProgramContext, { log, registry }: OpenLog): Promise<void> {
  const { logger, signal, report } = context
  const codecs = await createIngestCodecs(registry)
  const maintaining = setInterval(() => {
    log.maintain(nowMs()).catch((error) => logger.error({ err: error }, 'retention failed; it is tried again later'))
  }, maintainEveryMs)
  const runOnce = () =>
    runIngest({
      ...outsideOf(context),
      log,
      codecs,
      partitionCount: topics['chain-a-facts'].partitionCount,
      rulesVersion,
      nowMs,
      logger,
      signal,
      onProgress: (progress) =>
        report({ program: 'ingest', text: ingestText(progress), isLive: progress.phase === 'live' }),
    })
  try {
    await runAgain(runOnce, { name: 'ingest', signal, nowMs, logger })
  } catch (cause) {
    throw isOperationError(cause, 'writer_fenced') ? tookOver(cause) : cause
  } finally {
    clearInterval(maintaining)
  }
}

const tookOver = (cause: unknown) =>
  new OperationError(
    'writer_fenced',
    'another ingest has taken over: a chain has one at a time, and this one stops. What it had not committed is not in the log',
    { cause },
  )

/** With a node configured, the chain; without, the simulated market. */
function outsideOf({ config, logger }: ProgramContext): ChainA {
  if (config.CHAIN_A_RPC_URL === undefined) return createSimulator({ seed: config.SIMULATOR_SEED, nowMs })
  return openChainA({
    urls: config.CHAIN_A_RPC_URL,
    contracts: chainAContracts(config.CHAIN_A_PRESET, config.CHAIN_A_CONTRACTS),
    lagBlocks: config.CHAIN_A_LAG_BLOCKS,
    reorgBlocksMax: config.CHAIN_A_REORG_BLOCKS_MAX,
    logRangeMax: config.CHAIN_A_LOG_RANGE_MAX,
    logger,
  })
}

const ingestText = ({ phase, toBlock, headBlock, toAtMs, facts }: IngestProgress): string =>
  `${phase}: block ${toBlock} of ${headBlock} (${new Date(toAtMs).toISOString()}), ${facts} facts`

async function process(context: ProgramContext, open: OpenLog): Promise<void> {
  const { config, logger, report } = context
  const codecs = await createIngestCodecs(open.registry)
  const dependencies: StageDependencies = {
    log: open.log,
    factCodec: await createSchemaCodec<ChainARecord>(topics['chain-a-facts'], open.registry, chainA.views),
    derivedCodec: codecs.derived,
    ...chainA,
    reorgBlocksMax: config.CHAIN_A_REORG_BLOCKS_MAX,
    nowMs,
    logger,
    onProgress: ({ partition, knownAtMs, isFolding, factsPerSecond, tokens }) => {
      const what = isFolding ? 'folding again' : 'processed'
      const text = `partition ${partition} ${what} to ${new Date(knownAtMs).toISOString()}, ${Math.round(factsPerSecond)} facts/s, ${tokens} tokens`
      report({ program: 'process', text, isLive: nowMs() - knownAtMs < 10_000 })
    },
  }
  await runProcessProgram(context, dependencies, open)
}

async function project({ config, logger, signal, report }: ProgramContext, { log, registry }: OpenLog): Promise<void> {
  const runOnce = () =>
    runProjectionProgram({
      log,
      registry,
      database: { url: config.CLICKHOUSE_URL, dataDir: config.DATA_DIR },
      logger,
      signal,
      onProgress: ({ knownAtMs, rowCount, isAtEnd }) =>
        report({
          program: 'project',
          text: `${rowCount} rows to ${new Date(knownAtMs).toISOString()}`,
          isLive: isAtEnd,
        }),
    })
  await runAgain(runOnce, { name: 'project', signal, nowMs, logger })
}
