/** Which facts open a mint, count, and complete its curve. All processors of the chain use these. */
import type { MintOpened } from '../../../schemas/chain-b/derived.ts'
import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'
import type { EpochMs } from '../../../schemas/units.ts'

/** A fact from which on a mint is tracked. */
export type Opening = Extract<ChainBFact, { type: 'CurveLaunched' | 'CurveFound' }>

/** Late facts count in no rule. */
export const isLate = ({ lateAtMs }: Readonly<{ lateAtMs: EpochMs | null }>): boolean => lateAtMs !== null

/**
 * Whether the fact opens the mint. A find replaces even an open mint, because a reader that begins at the find, when older facts
 * are gone, must get the same result.
 */
export const opens = (fact: ChainBFact, isOpen: boolean): fact is Opening =>
  fact.type === 'CurveFound' || (fact.type === 'CurveLaunched' && !isOpen && !isLate(fact.data))

/** Whether the fact says that the curve has sold its last token. */
export function completes(fact: ChainBFact): boolean {
  if (fact.type === 'CurveTraded') return fact.data.realTokenRaw === 0n && !isLate(fact.data)
  if (fact.type === 'CurveCompleted' || fact.type === 'CurveMigrated') return !isLate(fact.data)
  return false
}

/** Slot and time of the launch, as far as known. */
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
