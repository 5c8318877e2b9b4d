import { expect } from 'chai'
import { z } from 'zod'
import { timeFields } from '../../api/envelope.ts'
import { described, fieldsOf } from '../../api/resource.ts'
import { route, stageCutOf } from '../../api/route.ts'
import { refuse } from '../../api/sale/refusals.ts'
import type { ApiSource } from '../../api/source.ts'
import type { StageCut } from '../../projections/cuts.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import type { Stage } from '../../schemas/stage.ts'
import { fixedCut } from '../support/fixed-queries.ts'
import { bodyOf, burstsPath, edgeOfTests } from './edge.ts'

/** An invented chain with base58 addresses and no price. Only the API uses it. */
const stage: Stage = { ...chainAStage, name: 'toy' }
const known = 'So11111111111111111111111111111111111111112'

const { now, resource } = fieldsOf<StageCut & Readonly<{ mint: string }>>()
const mintAnswer = resource('toyMint', { ...timeFields, mint: now(z.string(), 'The mint.', ({ mint }) => mint) })

const mintRoute = route({
  pattern: '/v1/toy/mint/:mint',
  tool: 'toy_mint_mint',
  description: 'One mint.',
  priceUsdMicros: 10_000,
  dependsOn: [{ stage, newest: 'the newest slot of the toy chain', maxAgeMs: 60_000 }],
  needs: [],
  history: { windowMs: 3_600_000, lookBackMs: 0 },
  params: {
    mint: {
      in: 'path',
      type: 'string',
      letterCase: 'asGiven',
      pattern: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
      example: '32 to 44 base58 characters',
      sample: known,
      description: 'a mint address',
    },
  },
  subject: {
    ...{ param: 'mint', stage },
    tracked: { mayHold: async (mint) => mint === known, example: async () => known },
    refusal: (mint) => refuse('not_tracked', `mint ${mint} is not known`),
  },
  schema: mintAnswer.schema,
  answer: async ({ mint }, cut) =>
    mint === known
      ? mintAnswer.present({ ...stageCutOf(cut, stage), mint })
      : refuse('not_tracked', `mint ${mint} is not known`),
})

const toy: ApiSource = {
  stage,
  routes: [mintRoute],
  snapshot: {
    wireName: 'toyChain',
    source: { stage, newest: 'the newest slot of the toy chain' },
    needs: [],
    schema: z.strictObject({ minutes: described('now', z.number(), 'Minutes asked for.') }),
    answer: async ({ minutes }) => ({ minutes }),
  },
  counts: async () => ({ bursts24h: 5, poolsTracked: 7 }),
}
const toyCut: StageCut = { ...fixedCut, atMs: fixedCut.atMs - 1000, blockNumber: 9, coinPrice: null }

describe('a second chain beside chain A', () => {
  const edge = edgeOfTests({ otherChains: [toy] })
  beforeEach(() => {
    edge.state.otherCuts = { toy: toyCut }
  })
  const codeOf = async (path: string) => (await bodyOf(edge.get(path))).code

  it('is sold at its own cut, without a price of its coin', async () => {
    const body = await bodyOf(edge.buy(`/v1/toy/mint/${known}`))
    expect(body).to.deep.equal({ schemaVersion: 1, generatedAt: toyCut.atMs, ageSec: 1, mint: known })
  })

  it('has addresses whose case tells them apart', async () => {
    const twin = known.toLowerCase()
    expect(await bodyOf(edge.get(`/v1/toy/mint/${twin}`))).to.include({
      code: 'not_tracked',
      error: `mint ${twin} is not known`,
    })
    // Base58 has no 0.
    expect(await codeOf(`/v1/toy/mint/${known.replace('o', '0')}`)).to.equal('bad_address')
  })

  it('does not hold up chain A while its own data is on its way, and is not held up by it', async () => {
    edge.state.otherCuts = {}
    expect(await codeOf(`/v1/toy/mint/${known}`)).to.equal('warming_up')
    expect(await codeOf(burstsPath)).to.equal('payment_required')
    edge.state.otherCuts = { toy: toyCut }
    edge.state.cut = null
    expect(await codeOf(`/v1/toy/mint/${known}`)).to.equal('payment_required')
    expect(await codeOf(burstsPath)).to.equal('warming_up')
  })

  it('has limits of freshness of its own, and is named when it is stale', async () => {
    edge.nowMs = toyCut.blockAtMs + 60_000
    expect(await codeOf(`/v1/toy/mint/${known}`)).to.equal('payment_required')
    edge.nowMs += 1
    const refused = await bodyOf(edge.get(`/v1/toy/mint/${known}`))
    expect(refused.code).to.equal('data_stale')
    expect(refused.error).to.match(/^the newest slot of the toy chain is 60 s old, and the limit of this route is 60 s/)
    expect(await codeOf(burstsPath)).to.equal('payment_required')
  })

  describe('in the snapshot', () => {
    it('has an object under its wire name, of the same instant as that of chain A', async () => {
      edge.state.otherCuts = { toy: { ...toyCut, blockAtMs: fixedCut.blockAtMs - 4000 } }
      const body = await bodyOf(edge.buy('/v1/snapshot?minutes=7'))
      expect(Object.keys(body)).to.deep.equal([
        ...['schemaVersion', 'generatedAt', 'ageSec', 'windowMin', 'chainA', 'toyChain'],
      ])
      // The age is that of the chain with the older data.
      expect(body).to.deep.include({ generatedAt: toyCut.atMs, ageSec: 5, windowMin: 7, toyChain: { minutes: 7 } })
    })

    it('holds it up while either has no data, or none that is fresh', async () => {
      edge.state.otherCuts = {}
      expect(await codeOf('/v1/snapshot')).to.equal('warming_up')
      edge.state.otherCuts = { toy: { ...toyCut, blockAtMs: edge.nowMs - 120_001 } }
      expect(await codeOf('/v1/snapshot')).to.equal('data_stale')
      edge.state.otherCuts = { toy: { ...toyCut, blockAtMs: edge.nowMs - 120_000 } }
      expect(await codeOf('/v1/snapshot')).to.equal('payment_required')
    })
  })

  describe('on the free routes', () => {
    it('is counted with chain A, and its routes are listed', async () => {
      const { data, endpoints } = await bodyOf(edge.get('/'))
      expect(data).to.include({ bursts24h: 6, poolsTracked: 8 })
      expect(endpoints.map((endpoint) => endpoint.route)).to.include('GET /v1/toy/mint/{mint}')
    })

    it('leaves the counts of chain A alone until it has data, and health waits for it', async () => {
      edge.state.otherCuts = {}
      expect((await bodyOf(edge.get('/'))).data).to.include({ generatedAt: fixedCut.atMs, bursts24h: 1 })
      const health = await bodyOf(edge.get('/v1/health'))
      expect(health).to.include({ status: 'warming_up', dataAgeSec: null })
      expect(health.chains.toyChain).to.deep.equal({ status: 'warming_up', dataAgeSec: null })
      expect(health.chains.chainA).to.include({ status: 'ok', block: fixedCut.blockNumber })
    })

    it('is what health is judged by while its data is the older, and chain A is told to be well', async () => {
      edge.state.otherCuts = { toy: { ...toyCut, blockAtMs: edge.nowMs - 121_000, blockNumber: 9 } }
      const health = await bodyOf(edge.get('/v1/health'))
      expect(health).to.include({ status: 'stale', dataAgeSec: 121, generatedAt: toyCut.atMs })
      expect(health.chains.toyChain).to.include({ status: 'stale', dataAgeSec: 121, block: 9 })
      expect(health.chains.chainA).to.include({ status: 'ok', generatedAt: fixedCut.atMs, block: fixedCut.blockNumber })
      expect((await bodyOf(edge.get('/'))).data).to.include({ generatedAt: toyCut.atMs, ageSec: 121 })
    })

    it('makes all of it a simulated market where it is one itself', async () => {
      edge.state.otherCuts = { toy: { ...toyCut, source: 'simulated' } }
      expect(await bodyOf(edge.get('/'))).to.include({ source: 'simulated' })
    })
  })
})
