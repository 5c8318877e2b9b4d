/** Ingest as a program: every configured chain beside the others, each started again after a failure that may pass. */
import type { Check } from '../infra/check.ts'
import type { Config } from '../infra/config.ts'
import { isOperationError, OperationError } from '../infra/errors.ts'
import type { OpenLog } from '../infra/log/open-log.ts'
import { behindText, type ProgramContext } from '../infra/program.ts'
import { runAgain } from '../infra/run-again.ts'
import { runSideBySide } from '../infra/run-side-by-side.ts'
import type { Chain } from './chain.ts'
import { checkChains, configuredChains } from './chains.ts'
import { createIngestCodecs } from './codecs.ts'
import { checkAggregator } from './prices/check-aggregator.ts'
import { type IngestProgress, runIngest } from './run-ingest.ts'

const nowMs = () => Date.now()
const maintainEveryMs = 600_000

/**
 * Runs until the signal aborts. A chain that fails for good does not stop the others: see `runSideBySide`. `chains`: default,
 * those of the configuration.
 */
export async function runIngestProgram(
  context: ProgramContext,
  { log, registry }: Pick<OpenLog, 'log' | 'registry'>,
  chains = configuredChains(context.config, { nowMs, logger: context.logger }),
): Promise<void> {
  const { logger } = context
  const stop = new AbortController()
  const signal = AbortSignal.any([context.signal, stop.signal])
  const maintaining = setInterval(() => {
    log.maintain(nowMs()).catch((error) => logger.error({ err: error }, 'retention failed; it is tried again later'))
  }, maintainEveryMs)
  try {
    const partOf = (chain: Chain) => ({
      name: `ingest of ${chain.stage.name}`,
      run: () => runChain(chain, { ...context, signal }, { log, registry }),
    })
    await runSideBySide(chains.map(partOf), { signal, stop, logger })
  } finally {
    clearInterval(maintaining)
  }
}

async function runChain(
  chain: Chain,
  { logger, signal, report, config }: ProgramContext,
  { log, registry }: Pick<OpenLog, 'log' | 'registry'>,
): Promise<void> {
  const { name } = chain.stage
  const codecs = await createIngestCodecs(chain.stage, registry)
  const onProgress = (progress: IngestProgress) => report({ program: 'ingest', stage: name, ...progressOf(progress) })
  const gridMs = config.VIEW_REFRESH_MS
  const runOnce = () => runIngest({ chain, log, codecs, nowMs, logger, signal, onProgress, gridMs })
  try {
    await runAgain(runOnce, { name: `ingest of ${name}`, signal, nowMs, logger })
  } catch (cause) {
    throw isOperationError(cause, 'writer_fenced') ? fenced(name, cause) : cause
  }
}

const fenced = (name: string, cause: OperationError) =>
  new OperationError(
    'writer_fenced',
    `another ingest of ${name} started and fenced this one, which stops: a chain has one ingest at a time. ` +
      'What this one had not committed is not in the log',
    { cause },
  )

function progressOf({ phase, toBlock, headBlock, toAtMs }: IngestProgress) {
  const { state, behind } = behindText(toAtMs, nowMs())
  return { state, hasCaughtUp: phase === 'live', text: `${behind}, block ${toBlock} of ${headBlock}` }
}

/** The doctor's checks of the chains that are configured, and of who prices what they do not. */
export const checkIngest = (config: Config): readonly Promise<Check>[] => [
  ...checkChains(config),
  checkAggregator(config),
]
