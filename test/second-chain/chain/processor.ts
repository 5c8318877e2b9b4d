/**
 * Defines the only rule of the second chain: a mint has a rush when three different wallets have bought it.
 * In the service, this code would be in `processors/<chain>/rushes/`, with a line in `processors/stages.ts`.
 */
import type { Processor } from '../../../processors/processor.ts'
import type { RunnableStage } from '../../../processors/runtime/runnable-stage.ts'
import { mintLifeMs, type SecondTypes, secondStage } from './schemas.ts'

/** The state of a mint. `creator` is null if no creation was seen, or if the mint's lifetime is over. */
type Mint = { creator: string | null; buyers: string[]; lamports: bigint; hasRushed: boolean }

const buyersMin = 3

const rushes: Processor<Mint, SecondTypes> = {
  name: 'rushes',
  initialState: () => ({ creator: null, buyers: [], lamports: 0n, hasRushed: false }),
  onFact(mint, fact, context) {
    if (fact.type === 'Minted') {
      mint.creator = fact.data.creator
      context.wakeAt(fact.data.slotAtMs + mintLifeMs)
    } else if (mint.creator !== null && !mint.hasRushed) {
      const { buyer, lamports } = fact.data
      if (!mint.buyers.includes(buyer)) mint.buyers.push(buyer)
      mint.lamports += lamports
    }
  },
  onBlockEnd(mint, { number: slot, atMs }, context) {
    const { creator, lamports } = mint
    if (creator === null || mint.hasRushed || mint.buyers.length < buyersMin) return
    mint.hasRushed = true
    context.emit({ type: 'Rush', data: { atMs, slot, creator, lamports } })
  },
  onWake(mint) {
    Object.assign(mint, rushes.initialState())
  },
  isEmpty: ({ creator }) => creator === null,
}

export const second: RunnableStage<SecondTypes> = { stage: secondStage, processors: [rushes], views: {} }
