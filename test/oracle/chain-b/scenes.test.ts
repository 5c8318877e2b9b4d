/**
 * Compares the stage of chain B with the oracle over mints whose values are exactly on the limits of the
 * rules.
 */
import { expect } from 'chai'
import { hexOfBase58 } from '../../../infra/base58.ts'
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import { chainB } from '../../../processors/stages.ts'
import { rulesVersion } from '../../../schemas/chain-b/rules.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { createEdges, sceneNames } from '../../proofs/answers/edges.ts'
import { answeredLog } from '../../replay/answered-log.ts'
import { drive } from '../../replay/canonical-log.ts'
import type { KeyedRecord } from '../../replay/keyed-record.ts'
import { buildTick, second } from '../../support/builders/build-facts.ts'
import { buildHoldersAnswered } from '../../support/chain-b/build-facts.ts'
import { holdersLookup } from '../../support/chain-b/market.ts'
import { bentBounds } from '../../support/oracle/chain-b/bent-rules.ts'
import { recordsIn } from '../../support/oracle/chain-b/records.ts'
import { rules as rulesAsTheyAre } from '../../support/oracle/chain-b/rules.ts'
import { differencesOf } from './differences.ts'

const edges = createEdges(second(0))

const holdersAnswered: typeof holdersLookup = {
  ...holdersLookup,
  answerTo: ({ token, asked: { questionId, revision, atMs } }) => {
    const holders = edges.holdersOf(hexOfBase58(token, 32) ?? expect.fail(token))
    const record = buildHoldersAnswered({ questionId, revision, answeredAtMs: atMs, holders, failure: null })
    return { key: token, record }
  },
}

/** Returns the log. A tick follows each slot that has a fact. Three ticks at the end let every timer expire. */
function scenesLog(): readonly KeyedRecord<ChainBTypes>[] {
  const facts = edges.factsOf(0, Number.POSITIVE_INFINITY)
  let seq = 0
  const tick = (blockNumber: number, blockAtMs: number): KeyedRecord<ChainBTypes> => ({
    ...{ key: 'tick' },
    record: { type: 'Tick', data: buildTick({ seq: ++seq, blockNumber, blockAtMs, rulesVersion }) },
  })
  const records = facts.flatMap(({ key, fact }, index) => {
    const { blockNumber, blockAtMs } = fact.data
    const isLast = facts[index + 1]?.fact.data.blockNumber !== blockNumber
    return isLast ? [{ key, record: fact }, tick(blockNumber, blockAtMs)] : [{ key, record: fact }]
  })
  const end = facts.at(-1)?.fact.data ?? expect.fail('there is no scene')
  const ends = [1, 2, 30].map((hours) => tick(end.blockNumber + hours, end.blockAtMs + hours * 3_600_000))
  return answeredLog(chainB, [...records, ...ends], holdersAnswered)
}

describe('the stage of chain B over mints on the bounds of the rules', () => {
  const log = scenesLog()
  const derived = drive(chainB.stage, createTestDriver(chainB), log)
  const counted = recordsIn(log, rulesAsTheyAre)

  for (const [mint, name] of sceneNames)
    it(`derives what the oracle counts: ${name}`, () => {
      const ofMint = derived.filter(({ token }) => token === mint)
      const differences = differencesOf(
        ofMint,
        counted.filter(({ token }) => token === mint),
      )
      expect(differences).to.deep.equal([])
      expect(ofMint).to.not.deep.equal([])
    })

  // Leaves out rules of look-backs. A look-back is computed by a query of the tables, not by the stage.
  for (const { name, rules } of bentBounds.filter(({ name }) => !name.startsWith('a look-back')))
    it(`shows a rule that was bent: ${name}`, () =>
      expect(differencesOf(derived, recordsIn(log, rules))).to.not.deep.equal([]))
})
