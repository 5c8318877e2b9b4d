/** The ingest program. It runs all configured chains side by side, and starts a chain again after a failure that may pass. */
import type { Check } from '../infra/check.ts'
import type { Config } from '../infra/config.ts'
import { isOperationError, OperationError } from '../infra/errors.ts'
import type { OpenLog } from '../infra/log/open-log.ts'
import { noMetrics } from '../infra/metrics/metrics.ts'
import type { ProgramContext } from '../infra/program.ts'
import { runAgain } from '../infra/run-again.ts'
import { runSideBySide } from '../infra/run-side-by-side.ts'
import { type ChatTypes, chatsStage } from '../schemas/chats/stage.ts'
import type { Chain } from './chain.ts'
import { checkChains, configuredChains, configuredCodeReader, configuredNamings } from './chains.ts'
import { logIn } from './chats/log-in.ts'
import { createIngestCodecs, type IngestCodecs } from './codecs.ts'
import { type IngestMeasures, measureIngest } from './measure-ingest.ts'
import { type MentionedChain, runMentions } from './mentions/run-mentions.ts'
import { checkAggregator } from './prices/check-aggregator.ts'
import { progressOf } from './progress.ts'
import { type IngestOptions, type IngestProgress, runIngest } from './run-ingest.ts'

const nowMs = () => Date.now()
const maintainEveryMs = 600_000

/**
 * Runs the given chains until the signal aborts. A failed chain does not stop the others. `chains` defaults
 * to the chains in the configuration.
 */
export async function runIngestProgram(
  context: ProgramContext,
  { log, registry }: Pick<OpenLog, 'log' | 'registry'>,
  chains = configuredChains(context.config, { nowMs, logger: context.logger }),
): Promise<void> {
  const { logger, metrics = noMetrics } = context
  const measures = measureIngest(metrics, nowMs)
  const stop = new AbortController()
  const signal = AbortSignal.any([context.signal, stop.signal])
  const maintaining = setInterval(() => {
    log.maintain(nowMs()).catch((error) => logger.error({ err: error }, 'retention failed. The next attempt is later'))
  }, maintainEveryMs)
  try {
    const partOf = (chain: Chain) => ({
      name: `ingest of ${chain.stage.name}`,
      run: () => runChain(chain, { ...context, signal, measures }, { log, registry }),
    })
    const mentions = {
      name: 'mentions',
      run: () => runMentionsOf(chains, { ...context, signal }, { log, registry }),
    }
    const hasChats = chains.some(({ stage }) => stage.name === chatsStage.name)
    const parts = [...chains.map(partOf), ...(hasChats ? [mentions] : [])]
    await runSideBySide(parts, { signal, stop, logger })
  } finally {
    clearInterval(maintaining)
  }
}

async function runChain(
  chain: Chain,
  { logger, signal, report, measures }: ProgramContext & Readonly<{ measures: IngestMeasures }>,
  { log, registry }: Pick<OpenLog, 'log' | 'registry'>,
): Promise<void> {
  const { name } = chain.stage
  const codecs = await createIngestCodecs(chain.stage, registry)
  const isByTime = name === chatsStage.name
  const onProgress = (progress: IngestProgress) => {
    measures.onProgress(name, progress)
    report(progressOf(name, progress, { nowMs: nowMs(), isByTime }))
  }
  const onTick: IngestOptions['onTick'] = (tick) => measures.onTick(name, tick)
  const runOnce = () => runIngest({ chain, log, codecs, nowMs, logger, signal, onProgress, onTick })
  try {
    await runAgain(runOnce, { name: `ingest of ${name}`, signal, nowMs, logger })
  } catch (cause) {
    throw isOperationError(cause, 'writer_fenced') ? fenced(name, cause) : cause
  }
}

/** Reads the posts of the followed chats, and writes which tokens of these chains they mention. */
async function runMentionsOf(
  chains: readonly Chain[],
  { logger, signal, config }: ProgramContext,
  { log, registry }: Pick<OpenLog, 'log' | 'registry'>,
): Promise<void> {
  const namings = configuredNamings(config)
  const mentioned: MentionedChain[] = []
  for (const { stage } of chains) {
    const naming = namings.get(stage.name)
    if (naming === undefined) continue
    const { facts: codec } = await createIngestCodecs(stage, registry)
    const readCode = configuredCodeReader(stage.name, config, { nowMs, logger })
    mentioned.push({ name: stage.name, topic: stage.factTopic, codec, naming, readCode })
  }
  const { facts, addresses }: IngestCodecs<ChatTypes> = await createIngestCodecs(chatsStage, registry)
  const posts = { topic: chatsStage.factTopic, codec: facts }
  const runOnce = () => runMentions({ log, posts, chains: mentioned, addresses, nowMs, signal, logger })
  try {
    await runAgain(runOnce, { name: 'mentions', signal, nowMs, logger })
  } catch (cause) {
    throw isOperationError(cause, 'writer_fenced') ? fenced('mentions', cause) : cause
  }
}

const fenced = (name: string, cause: OperationError) =>
  new OperationError(
    'writer_fenced',
    `another ingest of ${name} started and fenced this process, which stops. Only one ingest may run at a time. ` +
      'Facts that this process had not committed are not in the log. The other ingest reads them again',
    { cause },
  )

/** The functions that ask a person for input and show messages. The input is not stored. */
export type ChatPrompts = Parameters<typeof logIn>[1]

/** Signs in to the chat platform, so that chats can be followed with an account. */
export const logInToChats = logIn

/**
 * Makes the ingest checks for the `doctor` command: those of each configured chain, and one of the price
 * aggregator (a web service with prices of tokens).
 */
export const checkIngest = async (config: Config): Promise<readonly Check[]> =>
  (await Promise.all([...checkChains(config), checkAggregator(config)])).flat()
