/**
 * Tests that nothing vanishes. Every pool, curve, mint or call in the facts has exactly one state in the
 * derived log at any later time.
 */
import { expect } from 'chai'
import { chainA, chainB } from '../../processors/stages.ts'
import { isTick, type StageRecord, type StageTypes } from '../../schemas/stage.ts'
import { curveMarket } from '../support/chain-b/market.ts'
import { createHoledLog } from '../support/log/holed-log.ts'
import { diedOut } from '../support/rules/rule-scenes.ts'
import { livingOf } from './canonical-log.ts'
import { type EndState, endStatesOf } from './end-states.ts'
import { type KeyedRecord, lastSeqOf } from './keyed-record.ts'
import { reorgedMarket } from './reorgs/reorged-market.ts'
import { withReorgs } from './reorgs/with-reorgs.ts'
import { appendFacts, openStage, readAll, runUntil } from './stage-log.ts'

const partition = 0

type Runnable<Types extends StageTypes> = Parameters<typeof openStage<Types>>[0]

/** Returns the records that the stage derives. */
async function derivedAt<Types extends StageTypes>(
  runnable: Runnable<Types>,
  records: readonly KeyedRecord<NoInfer<Types>>[],
) {
  const open = await openStage(runnable)
  const log = createHoledLog({ nowMs: () => 0 })
  await appendFacts({ ...open, log, partition }, records)
  await runUntil({ ...open, partition }, lastSeqOf(records), { log })
  const stored = await readAll(log, open.stage.derivedTopic.name, partition)
  return stored.map(({ key, value }) => ({
    token: key,
    record: open.derivedCodec.decode(value as Buffer) as StageRecord,
  }))
}

type Derived = Awaited<ReturnType<typeof derivedAt>>

/**
 * Returns the ticks at which the test checks: the tick after each reorg, every 40th tick and the last five.
 * The tick of the reorg itself is left out. At that tick, a call of the removed blocks is withdrawn, and only
 * the next tick publishes the call again.
 */
const looksAt = (records: readonly KeyedRecord<StageTypes>[]): readonly number[] => {
  const ticks = records.flatMap(({ record }) => (isTick(record) ? [record.data] : []))
  return ticks
    .filter(({ revertedFrom }, index) => {
      const isAfter = index > 0 && ticks[index - 1]?.revertedFrom !== null
      return revertedFrom === null && (isAfter || index % 40 === 0 || index > ticks.length - 6)
    })
    .map(({ seq }) => seq)
}

const upTo = <One extends Readonly<{ record: StageRecord }>>(records: readonly One[], seq: number): readonly One[] =>
  records.slice(0, 1 + records.findIndex(({ record }) => isTick(record) && record.data.seq === seq))

const takesBack = (depth: number, fate: 'same' | 'dropped') => [
  ...[60, 150, 240].map((ofTicks) => ({ ofTicks, depth, shortBy: 0, fates: [fate], isRehashed: true })),
]

const tally = (counts: Record<string, number>, states: Iterable<readonly [string, EndState]>) => {
  for (const [name, state] of states) {
    const what = `${name.split(' ')[0]} ${state}`
    counts[what] = (counts[what] ?? 0) + 1
  }
}

describe('conservation', () => {
  const counts: Record<string, number> = {}

  /** `named` returns the name of the pool, curve, mint or call that a fact opens, or null. */
  const check = (
    derived: Derived,
    records: readonly KeyedRecord<StageTypes>[],
    {
      stage,
      named,
    }: Readonly<{
      stage: Runnable<StageTypes>['stage']
      named: (one: KeyedRecord<StageTypes>, blockAtMs: number) => string | null
    }>,
  ) => {
    for (const seq of looksAt(records)) {
      const known = upTo(records, seq)
      const [closing] = known.slice(-1)
      const { blockAtMs } = (closing as KeyedRecord<StageTypes>).record.data as Readonly<{ blockAtMs: number }>
      const namesIn = (all: readonly KeyedRecord<StageTypes>[]) =>
        new Set(all.map((one) => named(one, blockAtMs)).filter((name) => name !== null))
      const [firstSeen, canonical] = [namesIn(known), namesIn(livingOf(stage, known))]
      const states = endStatesOf(stage, upTo(derived, seq))
      // A call must be present from the tick after its post on. Everything else must be present at once.
      const due = new Set([
        ...namesIn(upTo(records, seq - 1)),
        ...[...firstSeen].filter((name) => !name.startsWith('call')),
      ])
      for (const name of due) expect(states.has(name), `${name} vanished at tick ${seq}`).to.equal(true)
      for (const [name, state] of states) {
        expect(firstSeen.has(name), `${name} came from nothing at tick ${seq}`).to.equal(true)
        if (due.has(name))
          expect(state === 'withdrawn', `${name} is ${state} at tick ${seq}`).to.equal(!canonical.has(name))
      }
      tally(counts, states)
    }
  }

  it('holds for the pools, curves and calls of chain A, through reorgs', async () => {
    for (const [seed, plans] of [
      [1, takesBack(40, 'dropped')],
      [2, takesBack(4000, 'dropped')],
      [3, takesBack(400, 'same')],
    ] as const) {
      const records = reorgedMarket(seed, plans)
      const opens = new Set(['CurveLaunched', 'CurveFound'])
      check(await derivedAt(chainA, records), records, {
        stage: chainA.stage as never,
        named: ({ key, record: { type, data } }, blockAtMs) => {
          if (type === 'PoolCreated') return `pool ${(data as Readonly<{ pool: string }>).pool}`
          if (opens.has(type)) return `curve ${(data as Readonly<{ curve: string }>).curve}`
          return calls(data, blockAtMs) ? `call ${key}` : null
        },
      })
    }
  })

  it('holds for the mints and calls of chain B, through reorgs', async () => {
    for (const [seed, plans] of [
      [1, takesBack(40, 'dropped')],
      [2, takesBack(4000, 'dropped')],
    ] as const) {
      const records = withReorgs(chainB.stage, curveMarket(seed, 10, { hasPosts: true }), plans)
      check(await derivedAt(chainB, records), records, {
        stage: chainB.stage as never,
        named: ({ key, record: { type, data } }, blockAtMs) => {
          if (type === 'CurveLaunched' || type === 'CurveFound') return `mint ${key}`
          return calls(data, blockAtMs) ? `call ${key}` : null
        },
      })
    }
  })

  it('holds for a call whose token dies', async () => {
    check(await derivedAt(chainA, diedOut), diedOut, {
      stage: chainA.stage as never,
      named: ({ key, record: { data } }, blockAtMs) => (calls(data, blockAtMs) ? `call ${key}` : null),
    })
  })

  it('has seen every state', () => {
    const expected = [
      ...['pool withdrawn', 'pool rugged', 'pool evicted', 'pool alive'],
      ...['curve withdrawn', 'curve graduated', 'curve evicted', 'curve alive'],
      ...['mint withdrawn', 'mint graduated', 'mint evicted', 'mint alive'],
      ...['call rugged', 'call dead', 'call evicted', 'call alive'],
    ]
    expect(Object.keys(counts)).to.include.members(expected)
  })

  it('of posts: each of a token stands in its calls, once', async () => {
    const records = reorgedMarket(4, [])
    const derived = await derivedAt(chainA, records)
    const posts = new Map<string, number>()
    for (const { key, record } of records) if (record.type === 'Mentioned') posts.set(key, (posts.get(key) ?? 0) + 1)
    const counted = new Map<string, number>()
    for (const [row, { token, data }] of lastCalls(derived)) {
      const { chats, recalls } = data as Readonly<{ chats: readonly Readonly<{ posts: number }>[]; recalls: number }>
      const sum = chats.reduce((total, { posts: count }) => total + count, 0)
      expect(recalls, row).to.equal(sum - 1)
      counted.set(token, (counted.get(token) ?? 0) + sum)
    }
    expect([...counted].sort()).to.deep.equal([...posts].sort())
    expect(posts.size).to.be.greaterThan(2)
  })
})

/** Returns true for a new call whose time the chain has reached. A `recall` only repeats an older call. */
function calls(data: object, blockAtMs: number): boolean {
  const { kind, seenAtMs = 0 } = data as Readonly<{ kind?: string; seenAtMs?: number }>
  return kind === 'call' && seenAtMs <= blockAtMs
}

const lastCalls = (derived: Derived) =>
  new Map(
    derived.flatMap(({ token, record: { type, data } }) =>
      type === 'Call'
        ? [[`${token} ${(data as Readonly<{ calledAtMs: number }>).calledAtMs}`, { token, data }] as const]
        : [],
    ),
  )
