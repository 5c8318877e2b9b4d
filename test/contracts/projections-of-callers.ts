/** Tests the leaderboard of callers in the tables. */
import { expect } from 'chai'
import {
  type BoardWindow,
  type CallerBoard,
  type CallerRow,
  medianNames,
} from '../../projections/calls/queries/calls-queries.ts'
import { kOfRates } from '../../projections/calls/queries/shrink.ts'
import { callersRules } from '../../schemas/calls/callers.ts'
import type { CallScored } from '../../schemas/calls/derived.ts'
import { buildScored, createCallsLog, unscored, withdrawnOnA } from '../projections/calls/derived-log.ts'
import { mint } from '../projections/chain-b/derived-log.ts'
import { address, noonMs } from '../projections/derived-log.ts'
import { kOfReturns } from '../support/oracle/calls/k-of-returns.ts'
import { callsCutAt, callsQueriesOf } from './projections-of-calls.ts'
import { dayMs, hourMs, minuteMs, type Tables } from './projections-tables.ts'

type Records = readonly (readonly [string, ReturnType<typeof buildScored>])[]

/** Returns the calls of a caller, each about another token, 1 min apart. */
const callsOf = (poster: string, from: number, all: readonly Partial<CallScored>[]): Records =>
  all.map((fields, index) => {
    const post = from + index
    return [address(post), buildScored({ poster, post, postedAtMs: noonMs - 5 * hourMs + index * 60_000, ...fields })]
  })

const loss = { isWin35: false, mfe: 0.0625, mae: -0.875, ret15: -0.5 } as const

export function callerAnswers(tables: Tables): void {
  const boardAt = async (atMs: number, window: BoardWindow = '7d'): Promise<CallerBoard> =>
    (await callsQueriesOf(tables).board(await callsCutAt(tables, atMs), window)) ?? expect.fail('there is no board')

  /**
   * Returns noon's leaderboard of callers. The records are known at noon, so this leaderboard includes them.
   * It exists 1 min later.
   */
  const boardOf = async (a: Records, b: Records = [], window: BoardWindow = '7d'): Promise<CallerBoard> => {
    const derived = await createCallsLog()
    await derived.tick(noonMs, { a, b })
    await derived.tick(noonMs + 5000)
    await derived.tick(noonMs + minuteMs + 1)
    await tables.project(derived)
    return boardAt(noonMs + minuteMs, window)
  }
  const rowOf = ({ callers }: CallerBoard, poster: string): CallerRow =>
    callers.find((caller) => caller.poster === poster) ?? expect.fail(`there is no ${poster}`)

  it('has of each caller the raw values, and the values shrunk toward those of all others', async () => {
    const board = await boardOf([
      ...callsOf('1', 100, [{}, {}, {}, loss]),
      ...callsOf('2', 200, [{}, loss, loss, loss, loss, { mfe: 1, mae: -0.1875 }]),
    ])
    expect(board).to.include({ rebuiltAtMs: noonMs, calls: 10, lateAnchorsExcluded: 0, noPriceExcluded: 0 })
    expect(board.callers.map(({ poster }) => poster)).to.have.members(['1', '2'])
    expect(board.pooled).to.include({ hit15: 0.5, win35: 0.5, x2: 0.1, rug: 0.5 })
    const k = kOfRates([
      { hits: 3, weight: 4 },
      { hits: 2, weight: 6 },
    ])
    expect(board.k).to.include({ hit15: k, win35: k })
    const [one, two] = [rowOf(board, '1'), rowOf(board, '2')]
    expect(one).to.include({
      chat: '-1001',
      chatName: 'public_calls',
      n: 4,
      lastCallAtMs: noonMs - 5 * hourMs + 180_000,
    })
    expect(one.raw).to.deep.equal({
      ...{ hit15: 0.75, win35: 0.75, x2: 0, rug: 0.25 },
      ...{ ret1: 0.125, ret5: 0.25, ret15: 0.5, ret60: -0.25, mfe: 0.5, mae: -0.25 },
    })
    expect(two.raw).to.include({ hit15: 2 / 6, x2: 1 / 6, rug: 4 / 6, ret15: -0.5, mfe: 0.0625, mae: -0.875 })
    // Each caller has more than 1/20 of all calls. So each caller is compared only with the other caller.
    expect(one.shrunk.win35).to.be.closeTo((3 + k * (2 / 6)) / (4 + k), 1e-12)
    expect(two.shrunk.win35).to.be.closeTo((2 + k * 0.75) / (6 + k), 1e-12)
    expect(one.shrunk.ret15).to.be.closeTo((4 * 0.5 + board.k.ret15 * -0.5) / (4 + board.k.ret15), 1e-12)
    const [low, high] = one.intervalOf('win35')
    expect(low).to.be.below(one.shrunk.win35 ?? 0)
    expect(high).to.be.above(one.shrunk.win35 ?? 1)
  })

  it('weighs the mean of all by how much the returns of callers differ, of each return as a recount says', async () => {
    const returnsOf = (caller: number, name: number) =>
      Array.from({ length: 5 + caller }, (_, call) => {
        const chance = (1e4 * Math.sin(7 * caller + 31 * call + 101 * name)) % 1
        return 0.4 + 0.15 * ((caller * 5 + name) % 4) + 0.9 * chance
      })
    const callers = [1, 2, 3, 4, 5, 6, 7, 8]
    const board = await boardOf(
      callers.flatMap((caller) => {
        const columns = medianNames.map((name, index) => [name, returnsOf(caller, index)] as const)
        const calls = Array.from({ length: 5 + caller }, (_, call) =>
          Object.fromEntries(columns.map(([name, returns]) => [name, returns[call]])),
        )
        return callsOf(String(caller), 100 * caller, calls)
      }),
    )
    for (const [index, name] of medianNames.entries()) {
      const all = callers.map((caller) => returnsOf(caller, index))
      expect(Math.max(...all.flat()), name).to.be.above(callersRules.retMax)
      expect(board.k[name], name).to.be.closeTo(kOfReturns(all, callersRules.retMax), 1e-6)
      expect(board.k[name], name).to.be.above(callersRules.kMin).and.below(callersRules.kMax)
    }
  })

  it('counts each limit as reached at the limit', async () => {
    const board = await boardOf(
      callsOf('1', 100, [
        { mfe: 0.15, mae: -0.8, isWin35: false },
        { mfe: 0.1499, mae: -0.7999, isWin35: true },
        { mfe: 1, mae: -0.9, isWin35: false },
        { mfe: 0.9999, mae: 0, isWin35: false },
      ]),
    )
    expect(rowOf(board, '1').raw).to.include({ hit15: 0.75, win35: 0.25, x2: 0.25, rug: 0.5 })
  })

  it('counts a token once for a caller: by its first scored post in the window, whatever the chain', async () => {
    const at = (post: number, minutes: number, fields: Partial<CallScored> = {}) =>
      buildScored({ poster: '1', post, postedAtMs: noonMs - 6 * hourMs + minutes * 60_000, ...fields })
    const late = unscored('late_anchor', { poster: '1', post: 1, postedAtMs: noonMs - 6 * hourMs })
    const board = await boardOf(
      [
        [address(1), late],
        [address(1), at(3, 2, loss)],
        [address(1), at(2, 1)],
        [address(2), at(4, 3, loss)],
        // A call of another poster in the same chat, and one of the same poster in another chat.
        [address(1), at(5, 4, { ...loss, poster: '2' })],
        [address(1), at(6, 5, { ...loss, chat: '-1002', chatName: null })],
      ],
      [
        [mint(1), at(7, 6)],
        [mint(1), at(8, 7, loss)],
        [mint(2), unscored('no_price', { poster: '1', post: 9 })],
      ],
    )
    expect(board.callers.map(({ chat, chatName, poster, n }) => [chat, chatName, poster, n])).to.deep.equal([
      ['-1001', 'public_calls', '1', 3],
      ['-1001', 'public_calls', '2', 1],
      ['-1002', null, '1', 1],
    ])
    expect(rowOf(board, '1').raw.win35).to.equal(2 / 3)
    expect(board).to.include({ calls: 5, lateAnchorsExcluded: 1, noPriceExcluded: 1 })
  })

  it('counts what is not scored by why, and of what counts how much is scored on asked prices', async () => {
    const reasons = [
      'late_anchor',
      'no_price',
      'no_price',
      'unanswered',
      'unanswered',
      'unanswered',
      'too_many',
    ] as const
    const board = await boardOf(
      [
        ...callsOf('1', 100, [{ isAsked: true }, {}, { isAsked: true }]),
        // Only the first scored post about a token counts. So this later post is not counted, and its
        // `isAsked` is not counted either.
        [address(101), buildScored({ poster: '1', post: 900, postedAtMs: noonMs - 2 * hourMs, isAsked: true })],
        ...reasons.map((why, post) => [address(300 + post), unscored(why, { poster: '2', post })] as const),
      ],
      [[mint(1), buildScored({ poster: '3', isAsked: true })]],
    )
    expect(board).to.include({ calls: 4, askedCount: 3, lateAnchorsExcluded: 1, noPriceExcluded: 2 })
    expect(board).to.include({ unansweredExcluded: 3, tooManyExcluded: 1 })
  })

  it('adds the shares of a post that names up to thirty tokens to one whole call', async () => {
    const counts = [6, 7, 30]
    const shares = (tokenCount: number) => Array.from({ length: tokenCount }, () => ({ tokenCount }))
    const board = await boardOf(counts.flatMap((count) => callsOf(String(count), 100 * count, shares(count))))
    for (const count of counts) expect(rowOf(board, String(count)).weight, `${count}`).to.equal(1)
  })

  it('lets a post that names more than three tokens weigh as one call that names so many', async () => {
    const board = await boardOf(callsOf('1', 100, [{ tokenCount: 3 }, { ...loss, tokenCount: 4 }, loss]))
    expect(rowOf(board, '1')).to.include({ n: 3, weight: 2.25 })
    expect(rowOf(board, '1').raw.win35).to.equal(1 / 2.25)
  })

  it('names a chat as it was named last, and not at all once it is private', async () => {
    const board = await boardOf([
      ...callsOf('1', 100, [{ chatName: 'old_name' }, { chatName: 'new_name' }]),
      ...callsOf('2', 200, [{ chatName: 'open' }, { chatName: null }]),
    ])
    expect(rowOf(board, '1').chatName).to.equal('new_name')
    expect(rowOf(board, '2').chatName).to.equal(null)
  })

  for (const [window, durationMs] of [
    ['24h', dayMs],
    ['7d', 7 * dayMs],
    ['30d', 30 * dayMs],
  ] as const)
    it(`looks ${window} back`, async () => {
      const at = (poster: string, postedAtMs: number) => callsOf(poster, Number(poster), [{ postedAtMs }])
      const board = await boardOf(
        [
          ...at('1', noonMs - durationMs),
          ...at('2', noonMs - durationMs + 1),
          ...at('3', noonMs - hourMs),
          ...at('4', noonMs - hourMs + 1),
        ],
        [],
        window,
      )
      expect(board.callers.map(({ poster }) => poster)).to.deep.equal(['2', '3'])
    })

  it('is empty where nothing was scored', async () => {
    const board = await boardOf([[address(1), unscored('no_price')]])
    expect(board).to.deep.include({ calls: 0, callers: [], lateAnchorsExcluded: 0, noPriceExcluded: 1 })
    expect(Object.values(board.pooled)).to.deep.equal(Array(10).fill(null))
  })

  it('stands until the next hour, whatever becomes known or is withdrawn', async () => {
    const derived = await createCallsLog()
    const post = { postedAtMs: noonMs - 5 * hourMs, post: 100 }
    await derived.tick(noonMs, { a: callsOf('1', 100, [{}, loss]) })
    await derived.tick(noonMs + 1)
    await derived.tick(noonMs + minuteMs, { a: callsOf('3', 300, [{ postedAtMs: noonMs - 59 * minuteMs }]) })
    await derived.tick(noonMs + minuteMs + 1, {
      a: [
        ...callsOf('2', 200, [{ postedAtMs: noonMs - 60 * minuteMs }]),
        [address(100), withdrawnOnA('CallScored', post.postedAtMs, `-1001:${post.post}`)],
      ],
    })
    await derived.tick(noonMs + hourMs + 1)
    await derived.tick(noonMs + hourMs + minuteMs + 1)
    await tables.project(derived)
    const found = async (atMs: number) =>
      (await boardAt(atMs)).callers.map(({ poster, n, raw }) => [poster, n, raw.win35])
    for (const atMs of [noonMs + minuteMs, noonMs + minuteMs + 1, noonMs + hourMs + minuteMs - 1])
      expect(await found(atMs)).to.deep.equal([['1', 2, 0.5]])
    expect(await found(noonMs + hourMs + minuteMs)).to.deep.equal([
      ['1', 1, 0],
      ['2', 1, 1],
      ['3', 1, 1],
    ])
  })

  it('is the same to the last bit when it is asked anew, in batches of any size', async () => {
    const records = Array.from({ length: 300 }, (_, index) =>
      callsOf(String(index % 17), 1000 + index, [
        {
          ret15: Math.sin(index),
          mfe: Math.abs(Math.sin(index)),
          mae: -Math.abs(Math.cos(index)),
          tokenCount: 1 + (index % 7),
        },
      ]),
    ).flat()
    const boards: string[] = []
    for (const tickCountMax of [1, 1000]) {
      await tables.empty()
      const derived = await createCallsLog()
      for (let turn = 0; turn < 6; turn++)
        await derived.tick(noonMs - 6 + turn, { a: records.slice(turn * 50, turn * 50 + 50) })
      await derived.tick(noonMs + 5000)
      await derived.tick(noonMs + minuteMs + 1)
      await tables.project(derived, { tickCountMax, rowCountMax: 1000 })
      for (let again = 0; again < 2; again++) boards.push(JSON.stringify(await boardAt(noonMs + minuteMs)))
    }
    expect(new Set(boards).size).to.equal(1)
    expect(JSON.parse(boards[0] ?? '').calls).to.equal(300)
  })
}
