import { expect } from 'chai'
import type { Cuts, StageCut } from '../../projections/cuts.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { fixedBurst, fixedCut } from '../support/fixed-queries.ts'
import { bodyOf, edgeOfTests } from './edge.ts'

const minuteMs = 60_000

type Sample = Readonly<{
  generatedAt: number
  ageSec: number
  delayedMin: number
  note?: string
  chainA: Readonly<{ bursts: readonly Readonly<{ at: number }>[] }>
}>

describe('the sample', () => {
  const startAtMs = 1_790_000_010_000
  const stageCut = (atMs: number): StageCut => ({ ...fixedCut, atMs, blockAtMs: atMs - 1000 })
  const stages = (cut: StageCut) => ({ [chainAStage.name]: cut })
  /** The times of the first and the last record of the log, in milliseconds. */
  const log = { beganAtMs: 0, readAtMs: startAtMs }
  const cuts: Cuts = {
    newest: async () =>
      log.readAtMs < log.beganAtMs ? null : { atMs: log.readAtMs, stages: stages(stageCut(log.readAtMs)) },
    at: async (atMs) => (atMs < log.beganAtMs || atMs > log.readAtMs ? null : { atMs, stages: stages(stageCut(atMs)) }),
    oldestAtMs: async () => log.beganAtMs,
  }
  const edge = edgeOfTests({ cuts })
  const sample = async () => (await bodyOf(edge.get('/v1/sample'))) as unknown as Sample
  const asked = () => edge.state.asked.filter((name) => name === 'burstsLive').length
  const burst = (agoMin: number) => ({ ...fixedBurst, atMs: startAtMs - agoMin * minuteMs, lp: null })

  // The sample is cached. So each test needs a new time to get a new sample.
  beforeEach(() => {
    edge.nowMs = startAtMs
    Object.assign(log, { beganAtMs: 0, readAtMs: startAtMs })
    edge.state.bursts = [burst(10), burst(14.9), burst(20), burst(21), burst(30), burst(60)]
  })

  it('is what was known fifteen minutes ago: the three newest bursts of each chain then, and none since', async () => {
    const body = await sample()
    expect(body).to.include({ delayedMin: 15, ageSec: 1 })
    expect(body.generatedAt).to.be.within(startAtMs - 15 * minuteMs - 20_000, startAtMs - 15 * minuteMs)
    expect(body.chainA.bursts.map(({ at }) => (startAtMs - at) / minuteMs)).to.deep.equal([20, 21, 30])
    expect(body).to.not.have.property('note')
  })

  it('is made once in twenty seconds, however many ask, and again after a failure', async () => {
    edge.nowMs = startAtMs + 60 * minuteMs
    log.readAtMs = edge.nowMs
    edge.state.failure = new RangeError('a read fails')
    expect((await edge.get('/v1/sample')).status).to.equal(500)
    edge.state.failure = null
    for (let turn = 0; turn < 5; turn++) await sample()
    expect(asked()).to.equal(2)
    edge.nowMs += 20_000
    await sample()
    expect(asked()).to.equal(3)
  })

  it('says which chain was not known so long ago, and shows none of its bursts', async () => {
    edge.nowMs = startAtMs + 120 * minuteMs
    Object.assign(log, { beganAtMs: edge.nowMs - 5 * minuteMs, readAtMs: edge.nowMs })
    const body = await sample()
    expect(body.chainA).to.deep.equal({ bursts: [] })
    expect(body.note).to.match(/^Of chainA nothing was known 15 minutes ago/)
  })

  it('of a chain that is further behind is what there is, with its age', async () => {
    edge.nowMs = startAtMs + 10 * 60 * minuteMs
    const body = await sample()
    expect(body.chainA.bursts).to.have.lengthOf(3)
    expect(body.ageSec).to.be.within(9.7 * 3600, 9.8 * 3600)
  })

  it('is asked 30 times a minute by one address, beside the 120 of the other free routes', async () => {
    const headers = { 'X-Forwarded-For': '1.2.3.9' }
    const statuses: number[] = []
    for (let turn = 0; turn < 31; turn++) statuses.push((await edge.get('/v1/sample', { headers })).status)
    expect(statuses.filter((status) => status === 200)).to.have.lengthOf(30)
    expect((await bodyOf(edge.get('/v1/sample', { headers }))).error).to.match(
      /The limit for \/v1\/sample is 30 requests/,
    )
    for (let turn = 0; turn < 120; turn++) expect((await edge.get('/v1/health', { headers })).status).to.equal(200)
    expect((await edge.get('/v1/health', { headers })).status).to.equal(429)
  })
})
