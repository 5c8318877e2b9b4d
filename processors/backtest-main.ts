/**
 * The backtest program. It derives the signals of a stage under other rules, and compares them with the
 * signals in the log.
 */

import type { OpenReader } from '../infra/log/open-log.ts'
import { defaultRules, type Rules } from '../schemas/rules.ts'
import { type EpochMs, hourMs } from '../schemas/units.ts'
import { type BacktestResult, backtestStage, type RunOfStage } from './backtest/backtest.ts'
import { textOfBacktest } from './backtest/backtest-text.ts'
import type { Span } from './backtest/comparison.ts'
import type { KnownRange } from './backtest/read-known.ts'
import { type Condition, parseWhere } from './backtest/where.ts'
import { signalsOf as signalsOfChainA } from './chain-a/signals.ts'
import { signalsOf as signalsOfChainB } from './chain-b/signals.ts'
import { createChainA, createChainB } from './stages.ts'

export type StageBacktest = BacktestResult & Readonly<{ stage: string; standardVersion: string; otherVersion: string }>

type BacktestOptions = Readonly<{
  open: Pick<OpenReader, 'log' | 'registry'>
  rules: Rules
  range: KnownRange
  spans: readonly Span[]
  where: readonly Condition[]
  onProgress?: (reached: Readonly<{ stage: string; partition: number; knownAtMs: EpochMs; records: number }>) => void
  signal?: AbortSignal
}>

const runsOf: Readonly<Record<string, (rules: Rules) => RunOfStage>> = {
  'chain-a': (rules) => {
    const { outcomes, desk } = rules.chainA
    const kinds = signalsOfChainA({ outcomes: outcomes.costRatio, desk: desk.costRatio })
    return { runnable: createChainA(rules) as RunOfStage['runnable'], kinds }
  },
  'chain-b': (rules) => {
    const { outcomes, desk } = rules.chainB
    const kinds = signalsOfChainB({ outcomes: outcomes.costRatio, desk: desk.costRatio })
    return { runnable: createChainB(rules) as RunOfStage['runnable'], kinds }
  },
}

/**
 * Parses the value of `--where`: conditions on the results of lookups, such as lookups of a token's holders.
 * The condition may be about a lookup of any stage. Fails with `config_invalid` if the text is invalid.
 */
export const parseBacktestWhere = (text: string): readonly Condition[] =>
  parseWhere(
    text,
    Object.values(runsOf).flatMap((runOf) => runOf(defaultRules).kinds),
  )

/**
 * A backtest begins to read this long before its range, in ms. This is the time for which a called token is
 * observed. If a partition begins later, the backtest reads it from its beginning, which can be earlier than that of
 * other partitions: a chain that was ingested first has facts from before the range that all topics hold.
 */
export const warmUpMs = 48 * hourMs

/** Names of the stages whose rules are configurable. */
export const backtestedStages: readonly string[] = Object.keys(runsOf)

/** Runs the named stages one after the other, because each stage needs memory for all of its tokens. */
export async function runBacktest(
  options: BacktestOptions,
  stages: readonly string[],
): Promise<readonly StageBacktest[]> {
  const results: StageBacktest[] = []
  for (const stage of stages) results.push(await backtestOne(stage, options))
  return results
}

export const textOfBacktests = (results: readonly StageBacktest[]): string =>
  [...results.map(textOfBacktest), notInRecords].join('\n')

/**
 * A note that the backtest prints. It names the fields that are computed by queries when a client asks, and
 * are therefore in no record.
 */
export const notInRecords =
  'Not compared: values that answers compute by queries over all tokens are in no record (repeatBuyers, crews, leaders, boards of callers, verdicts).'

async function backtestOne(stage: string, options: BacktestOptions): Promise<StageBacktest> {
  const runOf = runsOf[stage]
  if (runOf === undefined) throw new RangeError(`${stage} has no rules`)
  const [standard, other] = [runOf(defaultRules), runOf(options.rules)]
  const { onProgress, ...question } = options
  const result = await backtestStage({
    ...{ ...question, standard, other, warmUpFromMs: options.range.fromMs - warmUpMs },
    // The tested rules cannot move this limit, or both sides would have different signals for this reason alone.
    knownWithinMs: defaultRules.desk.knownWithinMs,
    ...(onProgress && { onProgress: (reached) => onProgress({ stage, ...reached }) }),
  })
  const versionOf = ({ runnable }: RunOfStage) => runnable.stage.rulesVersion
  return { stage, standardVersion: versionOf(standard), otherVersion: versionOf(other), ...result }
}
