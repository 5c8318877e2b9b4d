/**
 * Compares the list of leaders and the summaries of wallets with a recount of the records. The records are
 * random copied buys, with reorgs.
 */
import { expect } from 'chai'
import { base58OfHex } from '../../../infra/base58.ts'
import type { CopyClosed } from '../../../schemas/chain-b/derived.ts'
import {
  buildCopyClosed,
  buildCopyOpened,
  buildWithdrawn,
  createChainBLog,
  type MintRecord,
  mint,
  signature,
  wallet,
} from '../../projections/chain-b/derived-log.ts'
import { noonMs } from '../../projections/derived-log.ts'
import { createRandom } from '../../support/chain-a-node/random.ts'
import { groupBy } from '../../support/group-by.ts'
import { copyRules } from '../../support/oracle/chain-b/copy-rules.ts'
import { rankingOf } from '../../support/oracle/chain-b/leaders.ts'
import { hourMs, minuteMs } from '../projections-tables.ts'
import { chainBTablesOfTests } from './tables.ts'

const random = createRandom(5)
const below = (bound: number): number => Math.floor(random() * bound)

/** `goneAtMs` is the time at which a reorg withdrew the record. */
type Told = Readonly<{ mint: string; data: CopyClosed; knownAtMs: number; goneAtMs: number }>

const hours = 8
const startMs = noonMs - hours * hourMs
const stepMs = 10 * minuteMs

/** Wallet 0 makes half of all buys, so that more than 60 of its buys are replayed. */
const drawTold = (number: number): Told => {
  const knownAtMs = startMs + 1 + below(hours * hourMs - 1)
  const isSold = below(3) > 0
  const isBig = below(4) > 0
  const data = buildCopyClosed({
    ...{ atMs: knownAtMs - hourMs - 1000 * below(3), txHash: signature(number), logIndex: below(3) },
    ...{ wallet: wallet(below(2) * (1 + below(11))), isHit: below(2) === 0 },
    leaderSale: isSold ? { afterSec: below(4) * 30, share: 0.5, gain: random() * 2 - 1 } : null,
    ...(isBig ? { ret: random() * 2.5 - 1 } : { ret: null, exit: null, exitSec: null }),
  }).data
  const goneAtMs = below(10) === 0 ? knownAtMs + below(2 * hourMs) : Number.POSITIVE_INFINITY
  return { mint: mint(below(9)), data, knownAtMs, goneAtMs }
}

const told = Array.from({ length: 400 }, (_, number) => drawTold(number))

const placeOf = ({ mint: of, data }: Told) => `${of} ${base58OfHex(data.txHash)} ${data.logIndex}`
const newestFirst = (left: Told, right: Told) =>
  right.data.atMs - left.data.atMs || (placeOf(left) < placeOf(right) ? -1 : 1)

/** Computes the list of leaders again from the records that are known at `atMs` and not yet withdrawn. */
function recount(atMs: number) {
  const shown = told.filter(({ knownAtMs, goneAtMs }) => knownAtMs <= atMs && goneAtMs > atMs).sort(newestFirst)
  const buys = shown.map(({ data: { wallet: of, isHit, leaderSale, ret } }) => {
    const sale = leaderSale && { ...leaderSale, sec: leaderSale.afterSec }
    return { wallet: of, hour: { isHit, sale, exit: ret === null ? null : { ret } } }
  })
  return rankingOf(
    groupBy(buys, ({ wallet: of }) => of),
    copyRules,
  )
}

type Summary = ReturnType<typeof recount>['leaders'][number]

const rowOf = ({ n, evRaw, evShrunk, winShare, shadowed, shadowHit, sells }: Summary) => ({
  ...{ n, evRaw, evShrunk, winShare, shadowed, shadowHit, sold: sells?.sold, medSoldSec: sells?.medSoldSec },
  ...{ medSellGain: sells?.medSellGain, soldWithin60s: Math.round((sells?.soldWithin60sShare ?? 0) * shadowed) },
})

/** Means may differ in the last digits, because the numbers are summed in another order. */
const expectClose = (
  actual: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
  of: string,
) => {
  for (const [name, value] of Object.entries(expected)) {
    const isMean = typeof value === 'number' && !Number.isInteger(value)
    if (isMean) expect(actual[name], `${of} ${name}`).to.be.closeTo(value, 1e-12)
    else expect(actual[name], `${of} ${name}`).to.equal(value)
  }
}

describe('copies of chain B drawn at random', () => {
  const tables = chainBTablesOfTests()

  before(async () => {
    const derived = await createChainBLog()
    const events = told.flatMap(({ mint: of, data, knownAtMs, goneAtMs }) => {
      const { atMs, txHash, logIndex } = data
      const opened = buildCopyOpened({ atMs, txHash, logIndex, wallet: data.wallet })
      const gone = buildWithdrawn({ recordType: 'CopyClosed', atMs, txHash, logIndex })
      return [
        { atMs: knownAtMs, records: [[of, opened] as MintRecord, [of, { type: 'CopyClosed', data }] as MintRecord] },
        { atMs: goneAtMs, records: [[of, gone] as MintRecord] },
      ]
    })
    for (let atMs = startMs; atMs <= noonMs + stepMs; atMs += stepMs) {
      // All records of a time step become known at the end of the step.
      const due = events.filter((event) => event.atMs > atMs - stepMs && event.atMs <= atMs)
      // The block is 1 ms later, so that the tick at a whole hour passes that hour.
      await derived.tick(
        atMs,
        due.flatMap(({ records }) => records),
        { blockAtMs: atMs + 1 },
      )
    }
    await derived.tick(noonMs + 2 * stepMs)
    await tables.project(derived)
  })

  it('give the list and the summaries that a recount gives, at each hour', async () => {
    let listed = 0
    for (let atMs = startMs + hourMs; atMs <= noonMs; atMs += hourMs) {
      const cut = await tables.cutAt(atMs)
      const { prior, replays, wallets, leaders } = recount(atMs)
      const list = (await tables.queries.leaderList(cut)) ?? expect.fail('there is no list')
      expectClose({ ...list }, { rebuiltAtMs: atMs, prior: prior ?? 0, replays }, 'list')
      expect(list.leaders.map((leader) => leader.wallet)).to.deep.equal(leaders.map((its) => base58OfHex(its.wallet)))
      for (const [rank, leader] of leaders.entries())
        expectClose({ ...list.leaders[rank] }, rowOf(leader), leader.wallet)
      listed += leaders.length
      for (const record of [0, 1, 2].flatMap((number) => wallets.get(wallet(number)) ?? [])) {
        const stats = await tables.queries.copyStats(cut, base58OfHex(record.wallet))
        expectClose({ ...stats?.summary }, rowOf(record), `summary of ${record.wallet}`)
      }
    }
    expect(listed).to.be.above(40)
    expect(recount(noonMs).wallets.get(wallet(0))?.n, 'more than are counted').to.equal(60)
  })
})
