import { decodePaymentResponseHeader } from '@x402/core/http'
import { expect } from 'chai'
import { burstsLiveAnswer } from '../../api/chain-a/routes/bursts-live.ts'
import { crewsAnswer } from '../../api/chain-a/routes/crews.ts'
import { snapshotPart } from '../../api/chain-a/snapshot-part.ts'
import { snapshotAnswer } from '../../api/snapshot.ts'
import type { LpRow } from '../../projections/chain-a/queries/chain-a-queries.ts'
import { fixedBurst, fixedCut } from '../support/fixed-queries.ts'
import { bodyOf, edgeOfTests, pathOfEachRoute, rugCheckPath, verdictPath } from './edge.ts'

/** The expected common fields of the answers that lack the usual common fields of chain A. */
const envelopes: Readonly<Record<string, object>> = {
  [rugCheckPath]: { chain: 'chainA' },
  [verdictPath]: { chain: 'chainA', verdict: 'avoid' },
  '/v1/snapshot': { windowMin: 60 },
  '/v1/desk/trades': { mode: 'paper' },
}

describe('a paid answer', () => {
  const edge = edgeOfTests()

  it('is the documented resource on every route, private, with a receipt', async () => {
    for (const path of pathOfEachRoute) {
      const response = await edge.buy(path)
      expect(response.status, path).to.equal(200)
      expect(response.headers.get('cache-control')).to.equal('private, no-store')
      expect(response.headers.get('age')).to.equal('0')
      expect(response.headers.get('answer-cut')).to.equal(String(fixedCut.atMs))
      const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') as string)
      expect(receipt).to.include({ success: true, network: 'eip155:8453' })
      const body = await bodyOf(response)
      expect(body).to.include({ schemaVersion: 1, generatedAt: fixedCut.atMs, ageSec: 2 })
      expect(body).to.include(envelopes[path] ?? { chain: 'chainA', ethUsd: 3000 })
    }
  })

  it('shows a burst with its id, its outcome by opaque rule ids, and the baseline under its name', async () => {
    const { bursts } = await bodyOf(edge.buy('/v1/rh/bursts/history'))
    const [burst] = bursts
    // printf 'a:0xb2b2…:main:1789999990000' | sha1sum | cut -c1-16
    expect(burst?.id).to.equal('e0ecd5c2460fa1b0')
    expect(burst).to.deep.include({
      at: fixedBurst.atMs,
      sizeCV: 0.7,
      buyers: 11,
      // The signal comes 60 s after liquidity was first added.
      lp: {
        ...{ class: 'held', insiderShare: 0.75, burnedShare: 0.25, contractShare: 0, otherShare: 0, unknownShare: 0 },
        ...{ lpAgeMin: 1, estimated: false },
      },
      supersedes: null,
      knownAt: fixedBurst.knownAtMs,
    })
    expect(burst?.outcome.byRule.hold).to.deep.equal({ ret: -0.5, why: 'held', sec: null })
    const opaque = Object.entries(burst?.outcome.byRule ?? {}).filter(([id]) => id !== 'hold')
    expect(opaque.map(([id]) => id))
      .to.have.lengthOf(1)
      .and.satisfy(([id]: string[]) => /^r[0-9a-f]{12}$/.test(id ?? ''))
    expect(opaque[0]?.[1]).to.deep.equal({ ret: -0.17, why: 'burst-stall', sec: 60 })
  })

  it('shows an outcome that is not scored as exactly that', async () => {
    edge.state.bursts = [{ ...fixedBurst, outcome: null }]
    const { bursts } = await bodyOf(edge.buy('/v1/rh/bursts/live?minutes=61'))
    expect(bursts[0]?.outcome).to.deep.equal({ scored: false })
  })

  it('shows the liquidity of a burst as null until it is read, and never an empty pool as anything but unknown', async () => {
    const lp = { ...(fixedBurst.lp as LpRow), class: 'empty', insiderShare: 0, burnedShare: 0 } as const
    edge.state.bursts = [
      { ...fixedBurst, lp: null },
      { ...fixedBurst, lp: { ...lp, firstAddAtMs: null } },
    ]
    const { bursts } = await bodyOf(edge.buy('/v1/rh/bursts/live?minutes=63'))
    expect(bursts[0]?.lp).to.equal(null)
    expect(bursts[1]?.lp).to.include({ class: 'unknown', insiderShare: 0, lpAgeMin: 0 })
  })

  it('names the row that a reorg withdrew in favour of the one shown', async () => {
    edge.state.bursts = [{ ...fixedBurst, atMs: fixedBurst.atMs + 3000, supersedesAtMs: fixedBurst.atMs }]
    const body = await bodyOf(edge.buy('/v1/rh/bursts/live?minutes=62'))
    expect(burstsLiveAnswer.parse(body).bursts[0]?.supersedes).to.equal('e0ecd5c2460fa1b0')
    expect(body.bursts[0]?.id).to.not.equal('e0ecd5c2460fa1b0')
  })

  it('carries note and latest on a quiet window, and only then', async () => {
    const older = { ...fixedBurst, atMs: fixedCut.blockAtMs - 3 * 60_000, lp: null }
    edge.state.bursts = [older]
    const quiet = await bodyOf(edge.buy('/v1/rh/bursts/live?minutes=3'))
    expect(quiet.note).to.be.a('string')
    expect(quiet.latest.at).to.equal(older.atMs)
    edge.state.bursts = [fixedBurst]
    edge.nowMs += 1
    edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + 1 }
    expect(await bodyOf(edge.buy('/v1/rh/bursts/live?minutes=3'))).to.not.have.any.keys('note', 'latest')
  })

  it('is computed once per cut, however often it is sold', async () => {
    edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + 2 }
    for (let sale = 0; sale < 3; sale++) expect((await edge.buy('/v1/rh/pools/new?hours=9')).status).to.equal(200)
    expect(edge.state.asked).to.deep.equal(['poolsNewCounted'])
  })

  it('names crews to the minute', async () => {
    const body = crewsAnswer.parse(await bodyOf(edge.buy('/v1/rh/crews?minBursts=4')))
    expect(body.walletsTracked).to.equal(17)
    // 1,789,999,990 s is 10 s past a minute.
    expect(body.crews).to.deep.equal([
      { wallet: `0x${'e5'.repeat(20)}`, bursts: 4, lastSeenAt: 1_789_999_980_000, lastSeenMinAgo: 0 },
    ])
    // Only the data time (cut) moves, and the newest block stays the same. The shown age must grow with the
    // data time.
    edge.state.cut = { ...fixedCut, atMs: 1_789_999_980_000 + 60_000 }
    edge.nowMs = edge.state.cut.atMs
    const later = crewsAnswer.parse(await bodyOf(edge.buy('/v1/rh/crews?minBursts=4')))
    expect(later.crews[0]).to.include({ lastSeenMinAgo: 1 })
  })

  it('sums the day up in the snapshot', async () => {
    const body = snapshotAnswer({ chainA: snapshotPart }).parse(await bodyOf(edge.buy('/v1/snapshot?minutes=7.9')))
    expect(body.windowMin).to.equal(7)
    expect(body.chainA).to.deep.include({ ethUsd: 3000 })
    expect((body.chainA as { last24h: object }).last24h).to.deep.equal({
      ...{ bursts: 9, scored: 6, medianRet30m: -0.1, medianRuleRet: 0.05 },
      rugCheck: {
        ...{ checked: 8, held: 2, heldPct: 0.25, heldScored: 2, heldPulled: 1, heldPulledPct: 0.5 },
        ...{ safe: 4, safeScored: 0, safePulled: 0 },
      },
    })
  })

  it('shows shares of nothing as null, and of something as 0 where there are none', async () => {
    let cuts = 3
    const sharesOf = async (checked: number, heldScored: number) => {
      edge.state.day = { ...edge.state.day, checked, held: 0, heldScored, heldPulled: 0 }
      edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + cuts++ }
      const { chainA } = snapshotAnswer({ chainA: snapshotPart }).parse(await bodyOf(edge.buy('/v1/snapshot')))
      const { rugCheck } = (chainA as { last24h: { rugCheck: Record<string, unknown> } }).last24h
      return [rugCheck.heldPct, rugCheck.heldPulledPct]
    }
    expect(await sharesOf(0, 0)).to.deep.equal([null, null])
    expect(await sharesOf(8, 2)).to.deep.equal([0, 0])
  })
})
