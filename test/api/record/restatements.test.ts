import { expect } from 'chai'
import { createRestatements, listedAfter } from '../../../api/record/restatements.ts'
import type { Correction, Corrections } from '../../../projections/corrections.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import type { Stage } from '../../../schemas/stage.ts'

const correction = (knownAtMs: number, field = `of ${knownAtMs}`): Correction => ({
  ...{ knownAtMs, publishedAtMs: knownAtMs + 1, recordType: 'Burst', token: 'token', key: {}, atMs: 1 },
  ...{ movedFromAtMs: null, isWithdrawn: false, reason: 'reorg', changes: [{ field, from: 1, to: 2 }] },
})

/** Returns a fake source of corrections of a chain's data. `asked` lists the time ranges that were queried. */
function correctionsOf(all: readonly Correction[], missing = 0) {
  const asked: (readonly [afterMs: number, toMs: number])[] = []
  const corrections: Corrections = {
    async knownIn({ afterMs, toMs }, limit) {
      asked.push([afterMs, toMs])
      return all.filter(({ knownAtMs }) => knownAtMs > afterMs && knownAtMs <= toMs).slice(-limit)
    },
    missingUntilMs: async () => missing,
  }
  return { corrections, asked }
}

const chainOf = (stage: Stage, corrections: Corrections) => ({
  ...{ wireName: stage.name, stage, corrections },
})

/**
 * Returns fake `answers` that know only the newest data time (cut) of each stage. `newest` has these times,
 * by the name of the stage.
 */
const answersAt = (newest: Readonly<Record<string, number>>) => ({
  newestCut: async (stages: readonly Stage[]) => {
    const instants = stages.map(({ name }) => newest[name])
    const known = instants.filter((one) => one !== undefined)
    return known.length < instants.length ? null : { atMs: Math.min(...known), stages: {} }
  },
})

const fieldsOf = (listed: readonly Correction[]) => listed.flatMap(({ changes }) => changes.map(({ field }) => field))

describe('restatements', () => {
  const far = answersAt({ 'chain-a': 10_000, 'chain-b': 10_000 })

  it('are those of all chains in the order of knowledge, up to the delayed instant', async () => {
    const ofA = correctionsOf([correction(100), correction(300), correction(900)])
    const ofB = correctionsOf([correction(200), correction(300, 'b')])
    const restatements = createRestatements({
      chains: [chainOf(chainAStage, ofA.corrections), chainOf(chainBStage, ofB.corrections)],
      answers: far,
    })
    const told = await restatements(500)
    expect(fieldsOf(told?.listed ?? [])).to.deep.equal(['of 100', 'of 200', 'of 300', 'b'])
    expect(told?.listed.map(({ cursor, chain }) => `${cursor} ${chain}`)).to.deep.equal([
      '100-1 chain-a',
      '200-1 chain-b',
      '300-1 chain-a',
      '300-2 chain-b',
    ])
    expect(told).to.include({ untilMs: 500, missingUntilMs: null })
  })

  it('are read on from where they were, never twice', async () => {
    const { corrections, asked } = correctionsOf([correction(100), correction(300)])
    const restatements = createRestatements({ chains: [chainOf(chainAStage, corrections)], answers: far })
    await restatements(200)
    await restatements(200)
    expect(fieldsOf((await restatements(400))?.listed ?? [])).to.deep.equal(['of 100', 'of 300'])
    expect(asked).to.deep.equal([
      [0, 200],
      [200, 400],
    ])
  })

  it('wait for the chain that is furthest behind, and are not known while one is not', async () => {
    const ofA = correctionsOf([correction(100), correction(300)])
    const ofB = correctionsOf([])
    const chains = [chainOf(chainAStage, ofA.corrections), chainOf(chainBStage, ofB.corrections)]
    const behind = createRestatements({ chains, answers: answersAt({ 'chain-a': 10_000, 'chain-b': 250 }) })
    expect(await behind(500)).to.deep.include({ untilMs: 250 })
    expect(fieldsOf((await behind(500))?.listed ?? [])).to.deep.equal(['of 100'])
    const missing = createRestatements({ chains, answers: answersAt({ 'chain-a': 10_000 }) })
    expect(await missing(500)).to.equal(null)
  })

  it('have the same places after a restart, also where the oldest are no longer listed', async () => {
    const many = [correction(1), correction(2), correction(2, 'second'), correction(3), correction(4), correction(5)]
    const made = (limit: number) =>
      createRestatements({ chains: [chainOf(chainAStage, correctionsOf(many).corrections)], answers: far, limit })
    const all = await made(100)(1000)
    const grown = made(4)
    await grown(3)
    for (const few of [await made(4)(1000), await grown(1000)]) {
      // The limit would split the corrections of time 2, so all corrections of this time are left out.
      expect(fieldsOf(few?.listed ?? [])).to.deep.equal(['of 3', 'of 4', 'of 5'])
      expect(few?.listed).to.deep.equal(all?.listed.slice(-3))
      expect(few?.missingUntilMs).to.equal(2)
    }
    expect(all?.missingUntilMs).to.equal(null)
  })

  it('say up to when the tables have none', async () => {
    const { corrections } = correctionsOf([correction(800)], 700)
    const told = await createRestatements({ chains: [chainOf(chainAStage, corrections)], answers: far })(1000)
    expect(told?.missingUntilMs).to.equal(700)
  })

  it('are listed after a cursor: each once, page by page', async () => {
    const many = [correction(1), correction(2), correction(2, 'second'), correction(30)]
    const told = await createRestatements({
      chains: [chainOf(chainAStage, correctionsOf(many).corrections)],
      answers: far,
    })(1000)
    if (told === null) return expect.fail('they are known')
    const table: readonly (readonly [cursor: string, fields: readonly string[]])[] = [
      ['', ['of 1', 'of 2', 'second', 'of 30']],
      ['0-0', ['of 1', 'of 2', 'second', 'of 30']],
      ['1-1', ['of 2', 'second', 'of 30']],
      ['2-1', ['second', 'of 30']],
      ['2-2', ['of 30']],
      ['2-9', ['of 30']],
      ['30-1', []],
      ['999-1', []],
    ]
    for (const [cursor, fields] of table) expect(fieldsOf(listedAfter(told, cursor)), cursor).to.deep.equal(fields)
  })
})
