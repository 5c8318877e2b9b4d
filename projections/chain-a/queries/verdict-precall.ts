/** Selects the summary of the trades before the newest call of a token of chain A. */
import type { PrecallFlag } from '../../../schemas/calls/derived.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { findNewestPrecall, precallTablesIn } from '../../calls/queries/newest-precall.ts'
import { precallTablesOf } from '../../calls/tables.ts'
import type { StageCut } from '../../cuts.ts'
import type { SubjectQuestion, SubjectRows } from '../../rows-of-subject.ts'
import type { VerdictPrecallRow } from './chain-a-queries.ts'
import { since } from './pools.ts'
import { ethOfWei } from './units.ts'

const precallTables = precallTablesOf(chainAStage.name)

/** The tables of the precall in a verdict, with the time spans of the rows. */
export const verdictPrecallTables = (cut: StageCut): SubjectQuestion['tables'] =>
  precallTablesIn(precallTables, since(cut, callRules.watchMs))

/**
 * Returns the precall (the summary of the trades before a call) of the token's newest call of the last 48 h.
 * Returns null if no post named the token, or if block time has not yet passed the time of the post.
 * `known` has the rows of the token.
 */
export async function findVerdictPrecall(cut: StageCut, known: SubjectRows): Promise<VerdictPrecallRow | null> {
  const found = await findNewestPrecall(known, precallTables)
  if (found === null) return null
  const { postedAtMs, isTracked, buys, buyWei, run60, ageAtCallMs, flags } = found.precall
  const isEarly = cut.blockAtMs < postedAtMs + callRules.buyersAfterMs
  const buyers = isEarly ? null : found.buyers
  return {
    ...{ postedAtMs, isTracked, buys, buyEth: ethOfWei(buyWei), run60, ageAtCallMs },
    ...{ wallets: buyers?.wallets ?? null, sameBlockWallets: buyers?.sameBlockWallets ?? null },
    flags: (buyers?.flags ?? flags) as readonly PrecallFlag[],
  }
}
