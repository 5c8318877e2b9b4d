/**
 * Tests from which hour an answer about calls is, and what it contains. The chats and chains that it needs
 * are live, late or silent.
 */

import { expect } from 'chai'
import { createCallsQueries } from '../../projections/calls/queries/calls.ts'
import type { CallsQueries } from '../../projections/calls/queries/calls-queries.ts'
import { calledChainB } from '../../projections/chain-b/called-chain.ts'
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import { chatsStage } from '../../schemas/chats/stage.ts'
import { buildCall, buildScored, type CallsLog, createCallsLog } from '../projections/calls/derived-log.ts'
import { mint } from '../projections/chain-b/derived-log.ts'
import { address, noonMs } from '../projections/derived-log.ts'
import { callsCutAt, callsQueriesOf } from './projections-of-calls.ts'
import { hourMs, minuteMs, type Tables } from './projections-tables.ts'

type Fields = Parameters<CallsLog['tick']>[2]

const at = (hours: number, minutes = 0, seconds = 0): number =>
  noonMs + (hours - 12) * hourMs + minutes * minuteMs + seconds * 1000
const blocks = (a: number, b: number, chats: number): Fields => ({
  ...{ a: { blockAtMs: a }, b: { blockAtMs: b }, chats: { blockAtMs: chats } },
})

export function callsEditions(tables: Tables): void {
  const both = { chain: null, limit: 100 } as const
  const written = async (write: (derived: CallsLog) => Promise<void>): Promise<CallsQueries> => {
    const derived = await createCallsLog()
    await write(derived)
    await tables.project(derived)
    return callsQueriesOf(tables)
  }
  const cutAt = (atMs: number) => callsCutAt(tables, atMs)
  const clock = (atMs: number | null) => atMs && new Date(atMs).toISOString().slice(11, 16)
  const toldAt = async (queries: CallsQueries, atMs: number) => clock(await queries.rebuiltAt(await cutAt(atMs)))
  const tokensOf = async (queries: CallsQueries, atMs: number, hours = 5) =>
    (await queries.outcomes(await cutAt(atMs), { hours, ...both }))?.calls.map(({ token }) => token)

  it('tells at the whole hour what became of calls that are an hour old, and stands until the next one', async () => {
    const queries = await written(async (derived) => {
      await derived.tick(noonMs - hourMs, {
        a: [
          [address(1), buildCall({ calledAtMs: noonMs - hourMs })],
          [address(2), buildCall({ calledAtMs: noonMs - hourMs + 1 })],
          [address(3), buildCall({ calledAtMs: noonMs - 5 * hourMs })],
          [address(4), buildCall({ calledAtMs: noonMs - 5 * hourMs + 1 })],
        ],
        b: [[mint(1), buildCall({ calledAtMs: noonMs - hourMs })]],
      })
      await derived.tick(noonMs)
      await derived.tick(noonMs + 2000)
      await derived.tick(noonMs + minuteMs + 1, {
        a: [[address(1), buildCall({ calledAtMs: noonMs - hourMs, recalls: 9 })]],
      })
      await derived.tick(noonMs + hourMs + 2000)
      await derived.tick(noonMs + hourMs + minuteMs + 1)
    })
    const outcomesAt = async (atMs: number, question: Partial<Parameters<CallsQueries['outcomes']>[1]> = {}) => {
      const found = await queries.outcomes(await cutAt(atMs), { hours: 5, ...both, ...question })
      return found?.calls.map(({ token, recalls }) => [token, recalls])
    }
    const known = [
      [address(1), 0],
      [mint(1), 0],
      [address(4), 0],
    ]
    const firstMs = noonMs + minuteMs
    expect(await toldAt(queries, firstMs - 1), 'it settles first').to.equal(null)
    expect(await outcomesAt(firstMs)).to.deep.equal(known)
    expect(await outcomesAt(firstMs + hourMs - 1), 'until the next hour').to.deep.equal(known)
    expect(await outcomesAt(firstMs, { limit: 2 })).to.deep.equal(known.slice(0, 2))
    expect(await outcomesAt(firstMs, { chain: 'chain-b' })).to.deep.equal([[mint(1), 0]])
    expect(await outcomesAt(firstMs + hourMs)).to.deep.equal([
      [address(2), 0],
      [address(1), 9],
      [mint(1), 0],
    ])
  })

  //   known      10:00   11:50   12:10   13:10   14:10   14:11   14:12
  //   chains     10:00   11:50   12:10   13:10   14:10   14:11   14:12
  //   chats      10:00   11:50   11:50   11:50   11:50   14:11   14:12
  //   tells of                   11:00   11:00   11:00           14:00
  it('waits for the chats through an outage over whole hours, and is then of the last of them', async () => {
    const call = buildCall({ calledAtMs: at(12, 30) })
    const queries = await written(async (derived) => {
      await derived.tick(at(10))
      for (const atMs of [at(11, 50), at(12, 10), at(13, 10), at(14, 10)])
        await derived.tick(atMs, {}, blocks(atMs, atMs, at(11, 50)))
      // The chats were silent before this tick, so their posts are read late.
      await derived.tick(at(14, 11), { b: [[mint(1), call]] })
      await derived.tick(at(14, 12))
      await derived.tick(at(14, 13))
    })
    for (const atMs of [at(12, 10), at(13, 10), at(14, 11)]) expect(await toldAt(queries, atMs)).to.equal('11:00')
    expect(await toldAt(queries, at(14, 12))).to.equal('14:00')
    expect(await tokensOf(queries, at(14, 11))).to.deep.equal([])
    expect(await tokensOf(queries, at(14, 12))).to.deep.equal([mint(1)])
  })

  //   known      11:00   12:05   12:06   12:07   12:08   12:09
  //   chain A    11:00   12:05   12:06   12:07   12:08   12:09
  //   chain B    09:00   09:40   10:20   11:20   12:08   12:09
  //   chats      11:00   12:05   12:06   12:07   12:08   12:09
  it('is as old as the chain that is behind, and complete: what is known of the others beyond its hour is left out', async () => {
    const early = { calledAtMs: at(8, 30), ret1h: 0.5 }
    const queries = await written(async (derived) => {
      const told = [
        { ...early, ret4h: null },
        { ...early, ret4h: 0.25 },
      ].map((fields) => [address(1), buildCall(fields)] as const)
      await derived.tick(at(8), {}, blocks(at(8), at(8), at(8)))
      await derived.tick(at(11), { a: told.slice(0, 1) }, blocks(at(11), at(9), at(11)))
      for (const [minutes, b] of [
        [5, at(9, 40)],
        [6, at(10, 20)],
        [7, at(11, 20)],
        [8, at(12, 8)],
        [9, at(12, 9)],
        [10, at(12, 10)],
      ] as const) {
        const atMs = at(12, minutes)
        await derived.tick(atMs, minutes === 6 ? { a: told.slice(1) } : {}, blocks(atMs, b, atMs))
      }
    })
    for (const [minutes, hour, ret4h] of [
      [5, '08:00', undefined],
      [6, '09:00', undefined],
      [7, '10:00', null],
      [8, '11:00', null],
      [9, '12:00', null],
    ] as const) {
      const cut = await cutAt(at(12, minutes))
      expect(clock(await queries.rebuiltAt(cut)), `${minutes}`).to.equal(hour)
      const found = await queries.outcomes(cut, { hours: 5, ...both })
      expect(found?.calls[0]?.ret4h, `${minutes}`).to.equal(ret4h)
    }
    const all = await queries.outcomes(await cutAt(at(12, 9)), { hours: 5, ...both })
    expect([all?.rebuiltAtMs, all?.calls.map(({ ret1h }) => ret1h)]).to.deep.equal([noonMs, [0.5]])
  })

  it('is not there before a minute is whole of which all inputs tell, and is made each minute until an hour is', async () => {
    const firstMs = at(12, 50, 30)
    const queries = await written(async (derived) => {
      // The chains are read from the past on, so their block times are behind at first. The chats are
      // followed only from now on.
      for (const [seconds, chain] of [
        [0, at(9)],
        [15, at(12, 10)],
        [60, at(12, 51, 20)],
        [100, at(12, 52)],
        [540, at(12, 59, 30)],
        [600, at(13, 0, 20)],
        [660, at(13, 1)],
      ] as const) {
        const atMs = firstMs + seconds * 1000
        await derived.tick(atMs, {}, blocks(chain, chain, atMs))
      }
      await derived.tick(firstMs + 20 * minuteMs)
      await derived.tick(firstMs + 21 * minuteMs)
    })
    const cut = await cutAt(firstMs + 60_000)
    expect(await queries.rebuiltAt(cut)).to.equal(null)
    expect(await queries.outcomes(cut, { hours: 2, limit: 9, chain: null })).to.equal(null)
    expect(await queries.board(cut, '24h')).to.equal(null)
    expect(await toldAt(queries, at(12, 52))).to.equal('12:51')
    expect(await toldAt(queries, at(13, 0))).to.equal('12:59')
    expect(await toldAt(queries, at(13, 1) - 1)).to.equal('12:59')
    expect(await toldAt(queries, at(13, 1))).to.equal('13:00')
    expect(await toldAt(queries, at(13, 11))).to.equal('13:00')
  })

  // time       what becomes known                     version with it
  // 12:00:02   all inputs have passed noon            12:01, the first
  // 12:03:20   a call of 10:30                        12:04
  // 12:06:10   the return of this call after 1 h      12:07
  // 12:09      a score of a post of 10:40             12:09
  // 12:20      a call of 11:30, which is not due      none
  it('is made again, once a minute at most, when something is known that it lacks, and every cut finds its version', async () => {
    const call = { calledAtMs: at(10, 30) }
    const score = buildScored({ postedAtMs: at(10, 40) })
    const queries = await written(async (derived) => {
      await derived.tick(at(11))
      await derived.tick(at(12, 0, 2))
      await derived.tick(at(12, 3, 20), { b: [[mint(1), buildCall(call)]] })
      await derived.tick(at(12, 6, 10), { b: [[mint(1), buildCall({ ...call, ret1h: 0.5 })]] })
      await derived.tick(at(12, 9), { a: [[address(1), score]] })
      await derived.tick(at(12, 20), { b: [[mint(2), buildCall({ calledAtMs: at(11, 30) })]] })
      await derived.tick(at(12, 25), { b: [[mint(1), buildCall({ ...call, ret1h: 0.5, recalls: 3, lastRet: 1 })]] })
      await derived.tick(at(12, 40))
    })
    const shown = async (atMs: number) => {
      const cut = await cutAt(atMs)
      const found = await queries.outcomes(cut, { hours: 5, ...both })
      expect(found?.rebuiltAtMs).to.equal(noonMs)
      const board = await queries.board(cut, '24h')
      expect(board?.rebuiltAtMs).to.equal(noonMs)
      return [found?.calls.map(({ ret1h, recalls }) => [ret1h, recalls]), board?.calls]
    }
    const [first, second, third] = [[], [[null, 0]], [[0.5, 0]]]
    for (const [minutes, seconds, rows, scores] of [
      [1, 0, first, 0],
      [3, 59, first, 0],
      [4, 0, second, 0],
      [6, 59, second, 0],
      [7, 0, third, 0],
      [8, 59, third, 0],
      [9, 0, third, 1],
      [39, 0, third, 1],
    ] as const)
      expect(await shown(at(12, minutes, seconds)), `${minutes}:${seconds}`).to.deep.equal([rows, scores])
    // Uses new queries without cached results, and asks for the later time first.
    const again = callsQueriesOf(tables)
    const late = await again.outcomes(await cutAt(at(12, 39)), { hours: 5, ...both })
    expect(late?.calls).to.have.length(1)
    expect((await again.outcomes(await cutAt(at(12, 1)), { hours: 5, ...both }))?.calls).to.deep.equal([])
  })

  it('needs only the inputs that are there', async () => {
    const queries = await written(async (derived) => {
      await derived.tick(at(9))
      // Chain A stops at 09:00.
      for (const atMs of [at(12, 0, 2), at(12, 1), at(12, 2)])
        await derived.tick(atMs, { b: [[mint(1), buildCall({ calledAtMs: at(10) })]] }, { a: { blockAtMs: at(9) } })
    })
    expect(await queries.rebuiltAt(await cutAt(at(12, 1)))).to.equal(null)
    const stages = [chainBStage, chatsStage]
    const ofB = createCallsQueries({ database: tables.reader, chains: [calledChainB] })
    const cut = (await tables.cuts.at(at(12, 1), stages)) ?? expect.fail('there is a cut')
    expect(clock(await ofB.rebuiltAt(cut))).to.equal('12:00')
    const found = await ofB.outcomes(cut, { hours: 5, ...both })
    expect(found?.calls.map(({ token }) => token)).to.deep.equal([mint(1)])
  })

  it('lists over 48 hours the watches too that ended since the edition before, so that their end is sold', async () => {
    const dayMs = 24 * hourMs
    const ended = (atMs: number) => buildCall({ calledAtMs: atMs - 2 * dayMs, ret48h: 0.5, isDone: true })
    const calls = [at(9), at(9) + 1, at(11), at(11) + 1, at(12), at(12) + 1, at(13)]
    const queries = await written(async (derived) => {
      await derived.tick(at(8), { b: calls.map((atMs, index) => [mint(index), ended(atMs)]) })
      for (const atMs of [
        at(9, 0, 2),
        at(9, 1),
        at(9, 30),
        at(12, 0, 2),
        at(12, 1),
        at(12, 30),
        at(13, 0, 2),
        at(13, 1),
      ])
        await derived.tick(atMs)
      await derived.tick(at(13, 2))
    })
    const endsAt = async (atMs: number, hours: number) => {
      const found = await queries.outcomes(await cutAt(atMs), { hours, ...both })
      return found?.calls.map(({ calledAtMs, isDone, ret48h }) => [calledAtMs + 2 * dayMs, isDone, ret48h]).reverse()
    }
    const [done, open] = [(atMs: number) => [atMs, true, 0.5], (atMs: number) => [atMs, false, null]]
    expect(await endsAt(at(13, 1), 48), 'one hour more').to.deep.equal([...[at(12) + 1, at(13)].map(done)])
    // No list was sold between 9 and 12.
    expect(await endsAt(at(12, 1), 48)).to.deep.equal([
      ...[at(9) + 1, at(11), at(11) + 1, at(12)].map(done),
      ...[at(12) + 1, at(13)].map(open),
    ])
    expect(await endsAt(at(13, 1), 47)).to.deep.equal([])
  })
}
