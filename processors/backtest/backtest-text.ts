/** Formats a backtest as plain text. */
import { type DurationMs, minuteMs } from '../../schemas/units.ts'
import { textOfComparison } from './comparison-text.ts'

type BacktestReport = Readonly<{
  stage: string
  standardVersion: string
  otherVersion: string
  control: Readonly<{ recorded: number; again: number; same: number }>
  late: Readonly<{ recorded: number; replayed: number; knownWithinMs: DurationMs }>
  groups: Parameters<typeof textOfComparison>[0]
}>

export function textOfBacktest(report: BacktestReport): string {
  const { stage, standardVersion, otherVersion, groups } = report
  const rules =
    standardVersion === otherVersion
      ? `these rules are those of ${standardVersion}, which this version runs with`
      : `recorded with ${standardVersion}; these rules are ${otherVersion}`
  return `== ${stage}: ${rules}\n${controlText(report)}\n${lateText(report)}\n${textOfComparison(groups)}`
}

/**
 * Says how many of the recorded signals the standard rules produce again from the same facts. If some are
 * missing, the cause may also explain differences under the other rules.
 */
function controlText({ control: { recorded, again, same }, standardVersion }: BacktestReport): string {
  if (recorded === same && again === same)
    return `Control: ${standardVersion} over the same facts gives the ${same} recorded signals again with equal returns, and no other.`
  return (
    `Control: ${standardVersion} over the same facts gives ${again} signals, and ${same} of the ${recorded} recorded ones with equal returns. ` +
    'The other signals differ because the log no longer has the earlier facts of their tokens, or was written with ' +
    'other rules. Some of the differences below have the same causes.'
  )
}

function lateText({ late: { recorded, replayed, knownWithinMs } }: BacktestReport): string {
  if (recorded + replayed === 0) return ''
  return (
    `${recorded} recorded signals and ${replayed} with these rules became known more than ` +
    `${knownWithinMs / minuteMs} minutes after they fired. They are not compared, because nobody could have ` +
    'traded on them.\n'
  )
}
