/**
 * Decides which facts begin the tracking of a token, which facts the rules use, and which facts complete its
 * curve. All processors of chain B use these functions.
 */

import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'
import type { MintOpened } from '../../../schemas/chain-b/mints.ts'
import type { EpochMs } from '../../../schemas/units.ts'

/** A fact with which the tracking of a token begins. */
export type Opening = Extract<ChainBFact, { type: 'CurveLaunched' | 'CurveFound' }>

/** Late facts count in no rule. */
export const isLate = ({ lateAtMs }: Readonly<{ lateAtMs: EpochMs | null }>): boolean => lateAtMs !== null

/**
 * Returns whether tracking of a token begins (`isOpen`: it is already tracked) with this fact. A `CurveFound`
 * starts it anew in any case. So a reader that begins at the `CurveFound` gets the same result as a reader of
 * the older facts.
 */
export const opens = (fact: ChainBFact, isOpen: boolean): fact is Opening =>
  fact.type === 'CurveFound' || (fact.type === 'CurveLaunched' && !isOpen && !isLate(fact.data))

/** Returns whether the fact shows that the curve has sold its last token. */
export function completes(fact: ChainBFact): boolean {
  if (fact.type === 'CurveTraded') return fact.data.realTokenRaw === 0n && !isLate(fact.data)
  if (fact.type === 'CurveCompleted' || fact.type === 'CurveMigrated') return !isLate(fact.data)
  return false
}

/** Returns the slot and the time of the launch. A value is null if it is not known. */
export const launchOf = ({ type, data }: Opening): Pick<MintOpened, 'launchSlot' | 'launchAtMs'> =>
  type === 'CurveFound'
    ? { launchSlot: data.launchSlot, launchAtMs: data.launchAtMs }
    : { launchSlot: data.blockNumber, launchAtMs: data.blockAtMs }

export function mintOpenedOf(opening: Opening): MintOpened {
  const { curve, creator, quoteMint, isMayhem, blockAtMs: openedAtMs } = opening.data
  const { launcher, name, symbol } = opening.type === 'CurveLaunched' ? opening.data : unknownLaunch
  return { openedAtMs, curve, launcher, creator, name, symbol, ...launchOf(opening), quoteMint, isMayhem }
}

const unknownLaunch = { launcher: null, name: null, symbol: null }
