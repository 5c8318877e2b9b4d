/**
 * Tests the trades and results of the paper desk (the simulated trader) in the tables, as the service knew
 * them at different times.
 */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { ChainBDerived } from '../../../schemas/chain-b/derived.ts'
import { deskRules } from '../../../schemas/desk/rules.ts'
import {
  buildRestated,
  buildWithdrawn,
  createChainBLog,
  type MintRecord,
  mint,
} from '../../projections/chain-b/derived-log.ts'
import { noonMs } from '../../projections/derived-log.ts'
import { chainBTablesOfTests } from './tables.ts'

type DataOf<Type extends ChainBDerived['type']> = Extract<ChainBDerived, { type: Type }>['data']

const second = (count: number) => noonMs + 1000 * count
const opened = (fields: Partial<DataOf<'DeskOpened'>> = {}) =>
  ({
    type: 'DeskOpened',
    data: { book: 'main', lane: 'burst', signalAtMs: noonMs, openedAtMs: second(3), market: '0xc0', ...fields },
  }) as const
const closing = {
  openedAtMs: second(3),
  closedAtMs: second(60),
  market: '0xc0',
  ret: 0.25,
  peakRet: 0.5,
  exit: 'trail',
} as const
const traded = (fields: Partial<DataOf<'DeskTrade'>> = {}) =>
  ({ type: 'DeskTrade', data: { book: 'main', lane: 'burst', signalAtMs: noonMs, ...closing, ...fields } }) as const
const twin = (fields: Partial<DataOf<'DeskTwin'>> = {}) =>
  ({ type: 'DeskTwin', data: { lane: 'burst', ...closing, ...fields } }) as const

const all = { sinceMs: 0, book: 'all', limit: 100 } as const

describe('the record of the desk in the tables', () => {
  const tables = chainBTablesOfTests()
  const desk = () => tables.queries.desk
  const tradesAt = async (atMs: number, question: Partial<Parameters<ReturnType<typeof desk>['trades']>[1]> = {}) =>
    desk().trades(await tables.cutAt(atMs), { ...all, ...question })

  /**
   * Writes one position per mint, which opens at 3 s and closes with `fields`. The log gets each opening and
   * each closing about 1 s later.
   */
  const wrote = async (trades: readonly (readonly [mint: string, fields: Partial<DataOf<'DeskTrade'>>])[]) => {
    const derived = await createChainBLog()
    await derived.tick(
      second(4),
      trades.map(([key, { book = 'main', lane = 'burst' }]): MintRecord => [key, opened({ book, lane })]),
    )
    const byClosing = [...trades].sort(
      ([, left], [, right]) => (left.closedAtMs ?? second(60)) - (right.closedAtMs ?? second(60)),
    )
    for (const [index, [key, fields]] of byClosing.entries())
      await derived.tick((fields.closedAtMs ?? second(60)) + 1000 + index, [[key, traded(fields)]])
    await derived.tick(second(9000))
    await tables.project(derived)
    return derived
  }

  it('shows a trade from its close on, with all that the record says', async () => {
    await wrote([[mint(1), {}]])
    expect(await tradesAt(second(60))).to.deep.equal([])
    expect(await tradesAt(second(61))).to.deep.equal([
      {
        ...{ chain: 'chain-b', token: mint(1), book: 'main', lane: 'burst', signalAtMs: noonMs, ...closing },
        ...{ knownAtMs: second(61), publishedAtMs: second(61) + 7 },
      },
    ])
  })

  it('lists by book, from an instant on, newest closing first, ties by mint, and no more than asked for', async () => {
    await wrote([
      [mint(1), { closedAtMs: second(100) }],
      [mint(2), { closedAtMs: second(200), book: 'explore', lane: 'call-1' }],
      [mint(3), { closedAtMs: second(100) }],
    ])
    const tokens = async (question: Parameters<typeof tradesAt>[1]) =>
      (await tradesAt(second(8999), question)).map(({ token }) => token)
    const tied = [mint(1), mint(3)].sort()
    expect(await tokens({})).to.deep.equal([mint(2), ...tied])
    expect(await tokens({ limit: 2 })).to.deep.equal([mint(2), tied[0]])
    expect(await tokens({ book: 'main' })).to.deep.equal(tied)
    expect(await tokens({ book: 'explore' })).to.deep.equal([mint(2)])
    expect(await tokens({ sinceMs: second(100) })).to.have.length(3)
    expect(await tokens({ sinceMs: second(100) + 1 })).to.deep.equal([mint(2)])
  })

  it('leaves out what was known more than two minutes late, at its fill or at its close', async () => {
    const { knownWithinMs } = deskRules
    const derived = await createChainBLog()
    await derived.tick(second(3) + knownWithinMs, [[mint(1), opened()]])
    await derived.tick(second(3) + knownWithinMs + 1, [
      [mint(2), opened()],
      [mint(3), opened()],
    ])
    const closedAtMs = second(300)
    await derived.tick(closedAtMs + knownWithinMs, [
      [mint(1), traded({ closedAtMs })],
      [mint(2), traded({ closedAtMs })],
    ])
    await derived.tick(closedAtMs + knownWithinMs + 1, [[mint(4), opened({ openedAtMs: second(290) })]])
    await derived.tick(closedAtMs + knownWithinMs + 2, [[mint(4), traded({ openedAtMs: second(290), closedAtMs })]])
    await derived.tick(second(9000))
    await tables.project(derived)
    expect((await tradesAt(second(8999))).map(({ token }) => token)).to.deep.equal([mint(1)])
  })

  it('forgets a trade that a reorg withdrew, and shows one that it changed as it is now', async () => {
    const derived = await wrote([
      [mint(1), {}],
      [mint(2), {}],
    ])
    const key = { recordType: 'DeskTrade', atMs: second(3), txHash: null, logIndex: null, name: 'main:burst' } as const
    await derived.tick(second(9001), [
      [mint(1), buildWithdrawn(key)],
      [mint(2), buildRestated(key)],
      [mint(2), traded({ ret: -0.5, closedAtMs: second(8990) })],
    ])
    await derived.tick(second(9002))
    await tables.project(derived)
    expect((await tradesAt(second(9001))).map(({ token, ret }) => [token, ret])).to.deep.equal([[mint(2), -0.5]])
    expect(await tradesAt(second(8999))).to.have.length(2)
  })

  it('compares a trade with up to 20 twins of other mints, opened within ten minutes, in the order of a hash', async () => {
    const derived = await createChainBLog()
    const { twinWithinMs } = deskRules
    const trade = `${mint(1)}:burst:${second(3)}`
    const twins = Array.from({ length: 25 }, (_, index) => ({
      key: mint(10 + index),
      openedAtMs: second(3) + (index % 2 === 0 ? 1 : -1) * (twinWithinMs - 1000 * (index >> 1)),
      ret: index / 100,
    }))
    const hashOf = ({ key, openedAtMs }: Readonly<{ key: string; openedAtMs: number }>) =>
      createHash('md5').update(`${trade}:${key}:${openedAtMs}`).digest('hex')
    const byHash = (left: (typeof twins)[number], right: (typeof twins)[number]) =>
      hashOf(left) < hashOf(right) ? -1 : 1
    // A trade is compared only with the 20 positions whose hashes sort first. So each decoy, which must not
    // be used, is the one of 200 candidates whose hash sorts first.
    const firstOf = (candidateOf: (index: number) => Readonly<{ key: string; openedAtMs: number }>) =>
      Array.from({ length: 200 }, (_, index) => ({ ...candidateOf(index), ret: 9 })).sort(
        byHash,
      )[0] as (typeof twins)[number]
    const ownToken = firstOf((index) => ({ key: mint(1), openedAtMs: second(4 + index) }))
    const otherLane = firstOf((index) => ({ key: mint(100 + index), openedAtMs: second(3) }))
    const tooLate = firstOf((index) => ({ key: mint(300 + index), openedAtMs: second(3) + twinWithinMs + 1 }))
    const tooEarly = firstOf((index) => ({ key: mint(500 + index), openedAtMs: second(3) - twinWithinMs - 1 }))
    const decoys = [ownToken, otherLane, tooLate, tooEarly]
    const ranked = [...twins, ...decoys].sort(byHash)
    for (const decoy of decoys) expect(ranked.indexOf(decoy)).to.be.below(20)
    await derived.tick(second(4), [
      [mint(1), opened()],
      [mint(2), opened({ lane: 'call-1', book: 'explore' })],
    ])
    await derived.tick(second(61), [
      [mint(1), traded()],
      [mint(2), traded({ lane: 'call-1', book: 'explore' })],
    ])
    await derived.tick(
      second(701),
      [...twins, ...decoys].map(({ key, openedAtMs, ret }): MintRecord => {
        const lane = key === otherLane.key ? 'call-2' : 'burst'
        return [key, twin({ lane, openedAtMs, closedAtMs: second(690), ret })]
      }),
    )
    await derived.tick(second(9000))
    await tables.project(derived)
    const compared = await desk().compared(await tables.cutAt(second(8999)), all)
    const expected = [...twins].sort(byHash).slice(0, 20)
    const of = (token: string) => compared.find((one) => one.token === token)?.twins
    expect(of(mint(1))).to.deep.equal(expected.map(({ ret }) => ret))
    expect(of(mint(2)), 'a lane with the twins of another').to.deep.equal([9])
  })

  it('tells the last trade and the shadows of a mint', async () => {
    const derived = await wrote([
      [mint(1), {}],
      [mint(2), {}],
    ])
    const shadow = (signalAtMs: number) =>
      ({
        type: 'DeskShadow',
        data: {
          ...{ signalAtMs, signal: 'call', anchorAtMs: signalAtMs + 3000, market: '0xc0' as const },
          ...{ ret1: 0.5, ret5: null, ret15: null, ret60: null, mfe: 1, mae: -0.5 },
        },
      }) as const
    await derived.tick(second(9001), [
      [mint(1), shadow(second(20))],
      [mint(1), shadow(second(10))],
      [mint(2), shadow(second(5))],
    ])
    await derived.tick(second(9002))
    await tables.project(derived)
    const cut = await tables.cutAt(second(9001))
    const question = { token: mint(1), sinceMs: second(10) }
    expect((await desk().shadows(cut, question)).map(({ signalAtMs }) => signalAtMs)).to.deep.equal([
      second(10),
      second(20),
    ])
    expect((await desk().shadows(cut, { ...question, sinceMs: second(11) }))[0]).to.deep.include({
      ret1: 0.5,
      ret5: null,
      mae: -0.5,
    })
    expect((await desk().lastTrade(cut, { ...question, sinceMs: 0 }))?.token).to.equal(mint(1))
    expect(await desk().lastTrade(cut, { token: "'; DROP", sinceMs: 0 })).to.equal(null)
    expect(await desk().lastTrade(cut, { ...question, sinceMs: second(61) })).to.equal(null)
  })
})
