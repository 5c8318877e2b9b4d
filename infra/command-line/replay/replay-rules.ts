/**
 * `launch-data replay --rules FILE`: computes the signals of a range of the log with other rules, and
 * compares them with the recorded signals.
 */
import { readFile } from 'node:fs/promises'
import {
  backtestedStages,
  notInRecords,
  parseBacktestWhere,
  runBacktest,
  textOfBacktests,
  warmUpMs,
} from '../../../processors/backtest-main.ts'
import type { Config } from '../../config.ts'
import { OperationError } from '../../errors.ts'
import { parseRules } from '../../parse-rules.ts'
import { commonHeld } from '../../replay/held-range.ts'
import { findRange } from '../../replay/read-replay.ts'
import { realClock } from '../../replay/replay.ts'
import { jsonOf } from '../../replay/replayed-record.ts'
import { replayedStages, selectTopics, stagesOf } from '../../replay/replayed-topics.ts'
import { parseTime, timeText } from '../../replay/times.ts'
import { withoutEffectOnRecords } from '../../rules-version.ts'
import type { Console } from '../console.ts'
import { openSource } from './open-source.ts'
import { createReplayProgress } from './replay-progress.ts'

export type RulesArguments = Readonly<{
  from: string
  to: string
  /** The path of the rules file. */
  rules: string
  /** Topics of the chains that are compared. Default: all chains that the log has. */
  topics?: readonly string[]
  /**
   * An instant that divides the range. Signals before this instant and signals after it are compared
   * separately.
   */
  split?: string
  /**
   * Conditions on what the service looked up about a signal's token, such as `lp=safe`. Only matching signals
   * are compared.
   */
  where?: string
  isJson: boolean
  /** The folder of archive files to read instead of the log. */
  files?: string
}>

type Running = Readonly<{ config: Config; console: Console; signal: AbortSignal; out: NodeJS.WriteStream }>

export async function runReplayRules(
  { from, to, rules: file, topics: chosen, split, where: whereSaid, isJson, files }: RulesArguments,
  { config, console, signal, out }: Running,
): Promise<void> {
  const nowMs = Date.now()
  const rules = parseRules(await readText(file), file)
  const where = whereSaid === undefined ? [] : parseBacktestWhere(whereSaid)
  const range = { from: parseTime(from, nowMs), to: parseTime(to, nowMs) }
  const spans = spansOf(range, split === undefined ? null : parseTime(split, nowMs))
  // A comparison needs the facts and the recorded signals of a chain.
  const topics = selectTopics(stagesOf(replayedStages(config), chosen), {})
  const open = await openSource({ config, logger: console.logger, range, files })
  const progress = createReplayProgress({ ...range, speed: Number.POSITIVE_INFINITY }, process.stderr)
  try {
    const onWait = (until: number) => progress.say(`waiting for the log to reach ${timeText(until)}`)
    const { held } = await findRange({ open, topics, range, clock: realClock, signal, onWait })
    const heldFromMs = commonHeld(held)?.from ?? range.from
    const stages = backtestedStages.filter((stage) => held.some(({ topic }) => topic === `${stage}-facts`))
    const results = await runBacktest(
      {
        ...{ open, rules, spans, where, signal },
        range: { fromMs: range.from, toMs: range.to },
        onProgress: ({ stage, partition, knownAtMs }) =>
          progress.say(`${stage}, partition ${partition + 1}: reached ${timeText(knownAtMs)}`),
      },
      stages,
    )
    if (signal.aborted)
      throw new OperationError(
        'program_failed',
        'the backtest was stopped before the end of the range, so there is no comparison',
      )
    const withoutEffect = withoutEffectOnRecords(rules)
    const report = {
      from: range.from,
      to: range.to,
      factsFrom: Math.max(heldFromMs, range.from - warmUpMs),
      stages: results,
      ...{ where: whereSaid ?? null, notInRecords },
      withoutEffect,
    }
    out.write(isJson ? `${jsonOf(report)}\n` : textOf(report))
  } finally {
    progress.close()
    await open.close()
  }
}

type Report = Readonly<{
  from: number
  to: number
  /** From this time on, all facts are read. Earlier facts of a partition are read if the log has them. */
  factsFrom: number
  stages: Awaited<ReturnType<typeof runBacktest>>
  where: string | null
  /**
   * The paths, such as `calls.buyersAfterMs`, of the rules in the file that have no effect on the comparison.
   */
  withoutEffect: readonly string[]
}>

function textOf({ from, to, factsFrom, stages, where, withoutEffect }: Report): string {
  const head =
    `Signals from ${timeText(from)} to ${timeText(to)}, outcomes as far as they were known at the end. ` +
    `All facts are read from ${timeText(factsFrom)} on.` +
    (where === null ? '' : ` Only signals with ${where} are compared.`)
  const ends =
    withoutEffect.length === 0
      ? ''
      : `These rules of the file do not affect this comparison: ${withoutEffect.join(', ')}.\n`
  return `${head}\n\n${textOfBacktests(stages)}\n${ends}`
}

/**
 * The time spans whose signals are compared separately. A signal belongs to the span that contains its time.
 * Its outcome may lie in the next span.
 */
function spansOf({ from, to }: Readonly<{ from: number; to: number }>, splitMs: number | null) {
  if (splitMs === null) return [{ name: 'all', fromMs: from, toMs: to }]
  if (splitMs <= from || splitMs >= to)
    throw new OperationError('config_invalid', '--split must be later than --from and earlier than --to')
  return [
    { name: 'in sample', fromMs: from, toMs: splitMs },
    { name: 'out of sample', fromMs: splitMs, toMs: to },
  ]
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new OperationError('config_invalid', `${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}
