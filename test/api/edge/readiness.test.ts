import { expect } from 'chai'
import { createReadiness } from '../../../api/edge/readiness.ts'
import type { Cut } from '../../../projections/cuts.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import type { Stage } from '../../../schemas/stage.ts'

const cut: Cut = { atMs: 1, stages: {} }

describe('the readiness of the service', () => {
  const cuts = new Map<string, Cut>()
  const readiness = () =>
    createReadiness({
      sources: [{ stage: chainAStage }, { stage: chainBStage }],
      answers: {
        newestCut: async (stages: readonly Stage[]) => cuts.get(stages.map(({ name }) => name).join()) ?? null,
      },
    })
  beforeEach(() => cuts.clear())

  it('comes with the first cut of every source', async () => {
    const { state } = readiness()
    expect(await state()).to.equal('warming_up')
    cuts.set('chain-a', cut)
    expect(await state()).to.equal('warming_up')
    cuts.set('chain-b', cut)
    expect(await state()).to.equal('ok')
  })

  it('ends when the service begins to stop', async () => {
    for (const name of ['chain-a', 'chain-b']) cuts.set(name, cut)
    const { state, drain } = readiness()
    drain()
    expect(await state()).to.equal('draining')
  })

  it('is missing while the tables cannot be queried', async () => {
    const { state } = createReadiness({
      sources: [{ stage: chainAStage }],
      answers: { newestCut: () => Promise.reject(new RangeError('no table answers')) },
    })
    expect(await state()).to.equal('warming_up')
  })
})
