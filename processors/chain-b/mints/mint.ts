/** Which facts open a mint, count, and complete its curve. All processors of the chain ask here. */
import type { MintOpened } from '../../../schemas/chain-b/derived.ts'
import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'

/** A fact that a mint is tracked from. */
export type Opening = Extract<ChainBFact, { type: 'CurveLaunched' | 'CurveFound' }>

/** Late facts count nowhere. */
export const isLate = ({ lateAtMs }: Readonly<{ lateAtMs: number | null }>): boolean => lateAtMs !== null

/**
 * A find opens the mint anew even if it is open, because a reader who begins at the find, after older facts are gone, must
 * get the same.
 */
export const opens = (fact: ChainBFact, isOpen: boolean): fact is Opening =>
  fact.type === 'CurveFound' || (fact.type === 'CurveLaunched' && !isOpen && !isLate(fact.data))

/** Whether the curve has sold its last token, says this fact. */
export function completes(fact: ChainBFact): boolean {
  if (fact.type === 'CurveTraded') return fact.data.realTokenRaw === 0n && !isLate(fact.data)
  if (fact.type === 'CurveCompleted' || fact.type === 'CurveMigrated') return !isLate(fact.data)
  return false
}

/** When the token was launched, if that is known. */
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
