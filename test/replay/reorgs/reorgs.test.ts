/**
 * Tests that reorgs leave no trace. A stage must end with the rows of a chain that never left its final
 * branch.
 */
import { expect } from 'chai'
import { isTick, type StageTypes } from '../../../schemas/stage.ts'
import { chainAPromises, chainARunner, chainBPromises, type ReorgPromise, toyPromises } from './reorg-promises.ts'
import { type Derived, finalRows } from './reorg-runner.ts'
import { reorgSeeds } from './reorg-seeds.ts'
import { reorgedMarket } from './reorged-market.ts'

function hold(promises: readonly ReorgPromise[]): void {
  for (const { sentence, check } of promises)
    it(sentence, async () => {
      let seen = 0
      for (const seed of reorgSeeds) seen += await check(seed)
      expect(seen, 'seen').to.be.greaterThan(0)
    })
}

describe('the toy stage on a chain with reorgs', () => hold(toyPromises))

describe('the chain B stage on a chain with reorgs', () => hold(chainBPromises))

describe('the chain A stage on a chain with reorgs', () => {
  hold(chainAPromises)

  it('would not end with them if nothing were restated', async () => {
    const plan = { ofTicks: 500, depth: 1500, shortBy: 0, fates: ['same', 'dropped'] as const, isRehashed: false }
    const { stage, derivedOf, expectedOf } = await chainARunner()
    const records = reorgedMarket(1, [plan])
    const derived = await derivedOf(records)
    expect(finalRows(stage, derived)).to.deep.equal(expectedOf(records))
    expect(finalRows(stage, withoutRestatements(derived))).not.to.deep.equal(expectedOf(records))
  })
})

/** Removes everything that a tick with a reorg published, except for the tick itself. */
function withoutRestatements<Types extends StageTypes>(derived: readonly Derived<Types>[]): Derived<Types>[] {
  const left: Derived<Types>[] = []
  let open: Derived<Types>[] = []
  for (const output of derived) {
    open.push(output)
    if (!isTick(output.record)) continue
    left.push(...(output.record.data.revertedFrom === null ? open : [output]))
    open = []
  }
  return left
}
