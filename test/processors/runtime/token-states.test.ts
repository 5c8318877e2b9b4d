import { expect } from 'chai'
import fc from 'fast-check'
import type { Processor } from '../../../processors/processor.ts'
import { fromChunks, toChunks } from '../../../processors/runtime/snapshots/snapshot-bytes.ts'
import { createWalk as createAnyWalk, type Walk } from '../../../processors/runtime/walk.ts'
import { opened, paidIn, rateAnswered, toyTick } from '../../replay/toy/toy-facts.ts'
import { type ToyTypes, toyStage } from '../../replay/toy/toy-records.ts'
import { second } from '../../support/builders/build-facts.ts'

type Ledger = { amounts: bigint[]; answers: number; wakes: number }

/** Sums payments. A payment of `n` sets a timer `n` minutes later. */
const ledgerOf = (name: string, isOftenWoken: boolean): Processor<Ledger, ToyTypes> => ({
  name,
  isOftenWoken,
  initialState: () => ({ amounts: [], answers: 0, wakes: 0 }),
  onFact(state, { data }, context) {
    if (!('amount' in data)) return
    state.amounts.push(data.amount)
    context.wakeAt(data.blockAtMs + Number(data.amount) * 60_000)
  },
  onBlockEnd(state, { atMs }, context) {
    const amount = state.amounts.reduce((sum, each) => sum + each, 0n)
    context.emit({ type: 'Balance', data: { asOfMs: atMs, amount, payments: state.amounts.length } })
  },
  onWake(state, dueAtMs, context) {
    state.wakes += 1
    context.emit({ type: 'Reminder', data: { number: state.wakes * 100 + state.amounts.length, dueAtMs } })
  },
  onAnswer(state, _, context) {
    state.answers += 1
    context.emit({ type: 'Reminder', data: { number: state.answers * 1000 + state.amounts.length, dueAtMs: 0 } })
  },
  isEmpty: ({ amounts }) => amounts.length === 0,
})

const processors = [ledgerOf('packed', false), ledgerOf('kept', true)]
const createWalk = () => createAnyWalk({ stage: toyStage, processors })
const minute = (number: number) => second(number * 60)
const blockAt = (number: number) => ({ blockAtMs: minute(number), blockNumber: 1000 + number })
type Payment = Readonly<{ to: string; at: number; amount?: bigint }>
const pay = (walk: Walk<ToyTypes>, { to, at, amount = 1n }: Payment) =>
  walk.onFact(to, paidIn({ ...blockAt(at), amount }))
const tick = (walk: Walk<ToyTypes>, atMinute: number) =>
  walk.onTick(toyTick({ ...blockAt(atMinute), seq: (walk.lastTick?.seq ?? 0) + 1 }))

const crowd = Array.from({ length: 15 }, (_, index) => `crowd ${index}`)

/**
 * Returns a walk, the fold of facts into the states of tokens. In it, 15 accounts were paid in the first
 * minute, and their timers are due a minute later.
 */
function crowdedWalk(): Walk<ToyTypes> {
  const walk = createWalk()
  for (const account of crowd) pay(walk, { to: account, at: 0 })
  tick(walk, 2)
  return walk
}

/** The accounts with packed states. */
const packedOf = (walk: Walk<ToyTypes>): readonly string[] =>
  [...(walk.snapshot()?.tokens ?? [])].flatMap(({ token, packed }) => (packed == null ? [] : [token]))

/** Writes the states of a walk as the bytes of a snapshot, and returns a walk that is restored from them. */
async function restored(walk: Walk<ToyTypes>): Promise<Walk<ToyTypes>> {
  const snapshot = walk.snapshot()
  const next = createWalk()
  if (snapshot) next.restore(fromChunks(await toChunks(snapshot)))
  return next
}

/** The accounts whose states are still in a group of a snapshot. */
const serializedOf = (walk: Walk<ToyTypes>): readonly string[] =>
  [...(walk.snapshot()?.tokens ?? [])].flatMap(({ token, serialized }) => (serialized == null ? [] : [token]))

/** A processor that notes at which minutes the states of each token are trimmed, and whose state a trim may empty. */
function trimmedLedger() {
  const trimmed: [amount: bigint | undefined, minute: number][] = []
  const processor: Processor<Ledger, ToyTypes> = {
    name: 'trimmed',
    initialState: () => ({ amounts: [], answers: 0, wakes: 0 }),
    onFact(state, { data }) {
      if ('amount' in data) state.amounts.push(data.amount)
    },
    trim(state, atMs) {
      trimmed.push([state.amounts[0], (atMs - minute(0)) / 60_000])
      if (state.amounts[0] === 9n) state.amounts = []
    },
    isEmpty: ({ amounts }) => amounts.length === 0,
  }
  return { walk: createAnyWalk({ stage: toyStage, processors: [processor] }), trimmed }
}

describe('the trims of states', () => {
  it('come after two minutes without facts, every twenty minutes from then on, and two minutes after the next fact', () => {
    const { walk, trimmed } = trimmedLedger()
    pay(walk, { to: 'ada', at: 1, amount: 3n })
    for (let at = 1; at <= 50; at++) tick(walk, at)
    expect(trimmed).to.deep.equal([3, 23, 43].map((at) => [3n, at]))
    pay(walk, { to: 'ada', at: 51, amount: 3n })
    for (let at = 51; at <= 54; at++) tick(walk, at)
    expect(trimmed.slice(3)).to.deep.equal([[3n, 53]])
  })

  it('come once for ticks of the same minute, and not for a token with new facts', () => {
    const { walk, trimmed } = trimmedLedger()
    pay(walk, { to: 'ada', at: 1, amount: 3n })
    for (let at = 1; at <= 10; at++) {
      pay(walk, { to: 'bob', at, amount: 5n })
      tick(walk, at)
      tick(walk, at)
    }
    expect(trimmed).to.deep.equal([[3n, 3]])
  })

  it('let a token go whose states they leave empty', () => {
    const { walk } = trimmedLedger()
    pay(walk, { to: 'ada', at: 1, amount: 9n })
    pay(walk, { to: 'bob', at: 1, amount: 8n })
    tick(walk, 2)
    expect(walk.counts().tokens).to.equal(2)
    tick(walk, 3)
    expect(walk.counts().tokens).to.equal(1)
  })

  it('let the empty states of a token go, except those with a timer', () => {
    const emptyAfter = (name: string, wakesAfterMs: number | null): Processor<Ledger, ToyTypes> => ({
      name,
      initialState: () => ({ amounts: [], answers: 0, wakes: 0 }),
      onFact(_, { data }, context) {
        if ('amount' in data && wakesAfterMs !== null) context.wakeAt(data.blockAtMs + wakesAfterMs)
      },
      isEmpty: ({ amounts }) => amounts.length === 0,
    })
    const first = emptyAfter('without a timer', null)
    const some = [first, emptyAfter('with a timer', 3_600_000), ledgerOf('with an amount', false)]
    const walk = createAnyWalk({ stage: toyStage, processors: some })
    pay(walk, { to: 'ada', at: 1, amount: 90n })
    const kept = () => [...walk.snapshot()!.tokens].map(({ states }) => states.map((state) => state !== undefined))
    tick(walk, 2)
    expect(kept()).to.deep.equal([[true, true, true]])
    tick(walk, 3)
    expect(kept()).to.deep.equal([[false, true, true]])
    pay(walk, { to: 'ada', at: 4, amount: 90n })
    tick(walk, 4)
    expect(kept()).to.deep.equal([[true, true, true]])
  })

  it('wait until the states of a snapshot are opened', async () => {
    const { walk: before } = trimmedLedger()
    for (const token of ['ada', 'bob']) pay(before, { to: token, at: 1, amount: 3n })
    tick(before, 1)
    const { walk, trimmed } = trimmedLedger()
    walk.restore(fromChunks(await toChunks(before.snapshot()!)))
    tick(walk, 30)
    expect(trimmed).to.deep.equal([])
    for (const token of ['ada', 'bob']) pay(walk, { to: token, at: 31, amount: 4n })
    tick(walk, 31)
    tick(walk, 33)
    expect(trimmed).to.deep.equal([
      [3n, 33],
      [3n, 33],
    ])
  })
})

describe('the states of tokens', () => {
  it('are packed after three hours without facts, if 16 tokens are that quiet', () => {
    const walk = crowdedWalk()
    pay(walk, { to: 'ada', at: 3 })
    tick(walk, 182)
    expect(packedOf(walk)).to.deep.equal([])
    tick(walk, 183)
    expect(packedOf(walk)).to.deep.equal([...crowd, 'ada'])
  })

  it('are packed one by one from then on', () => {
    const walk = crowdedWalk()
    pay(walk, { to: 'ada', at: 3 })
    tick(walk, 100)
    pay(walk, { to: 'bob', at: 101 })
    tick(walk, 280)
    expect(packedOf(walk)).to.deep.equal([...crowd, 'ada'])
    tick(walk, 281)
    expect(packedOf(walk)).to.deep.equal([...crowd, 'ada', 'bob'])
  })

  it('are packed for at most 256 tokens after one tick, and for the others after the next ticks', () => {
    const walk = createWalk()
    for (let index = 0; index < 300; index++) pay(walk, { to: `account ${index}`, at: 0 })
    tick(walk, 2)
    tick(walk, 180)
    expect(packedOf(walk)).to.have.length(256)
    tick(walk, 180)
    expect(packedOf(walk)).to.have.length(300)
  })

  for (const [what, use] of [
    ['a fact', (walk: Walk<ToyTypes>) => pay(walk, { to: 'ada', at: 400 })],
    ['an answer', (walk: Walk<ToyTypes>) => walk.onAnswer('ada', rateAnswered('q'))],
    ['a timer', () => {}],
  ] as const)
    it(`are unpacked for ${what}, and packed three hours later`, () => {
      const walk = crowdedWalk()
      pay(walk, { to: 'ada', at: 3, amount: 395n }) // the timer is due in minute 398
      tick(walk, 183)
      expect(packedOf(walk)).to.include('ada')
      tick(walk, 396)
      use(walk)
      tick(walk, 400)
      expect(packedOf(walk)).to.not.include('ada')
      tick(walk, 575)
      expect(packedOf(walk)).to.not.include('ada')
      tick(walk, 580)
      expect(packedOf(walk)).to.include('ada')
    })

  for (const [what, use] of [
    ['a fact', (walk: Walk<ToyTypes>) => pay(walk, { to: 'ada', at: 5 })],
    ['an answer', (walk: Walk<ToyTypes>) => walk.onAnswer('ada', rateAnswered('q'))],
    ['a timer', () => {}],
  ] as const)
    it(`stay in the group of a snapshot until a token of the group is needed for ${what}`, async () => {
      const before = crowdedWalk()
      pay(before, { to: 'ada', at: 3, amount: 3n }) // the timer is due in minute 6
      tick(before, 4)
      expect(serializedOf(before)).to.deep.equal([])
      const walk = await restored(before)
      expect(serializedOf(walk)).to.deep.equal([...crowd, 'ada'])
      for (const its of [before, walk]) use(its)
      expect(tick(walk, 7)).to.deep.equal(tick(before, 7)).and.to.have.length.above(1)
      // The first token is alone in its group.
      expect(serializedOf(walk)).to.deep.equal(crowd.slice(0, 1))
    })

  it('are written again as the groups of the last snapshot if no fact came', async () => {
    const first = await toChunks(crowdedWalk().snapshot()!)
    const walk = createWalk()
    walk.restore(fromChunks(first))
    const again = await toChunks(walk.snapshot()!)
    // The numbers outside the groups are compared as values, because V8 has two forms for a whole number.
    expect([...fromChunks(again).tokens]).to.deep.equal([...fromChunks(first).tokens])
  })

  it('are kept after a restart by a fact that no processor reads, without a timer', async () => {
    const createReader = () =>
      createAnyWalk({ stage: toyStage, processors: [{ ...ledgerOf('p', false), reads: ['PaidIn'] }] })
    const before = createReader()
    pay(before, { to: 'ada', at: 1, amount: 5n })
    tick(before, 7) // the timer of minute 6 has fired
    const walk = createReader()
    walk.restore(fromChunks(await toChunks(before.snapshot()!)))
    walk.onFact('ada', opened(blockAt(8)))
    tick(walk, 9)
    pay(walk, { to: 'ada', at: 10, amount: 6n })
    const balance = { type: 'Balance', data: { asOfMs: minute(10), amount: 11n, payments: 2 } }
    expect(tick(walk, 11)).to.deep.equal([{ token: 'ada', record: balance }])
  })

  it('are packed three hours after a restart too', async () => {
    const walk = await restored(crowdedWalk())
    tick(walk, 181)
    expect(packedOf(walk)).to.deep.equal([])
    pay(walk, { to: 'ada', at: 182 })
    tick(walk, 183)
    expect(serializedOf(walk)).to.deep.equal([])
    tick(walk, 363)
    expect(packedOf(walk)).to.deep.equal([...crowd, 'ada'])
  })

  it('stay as they are for a processor that timers often call, until the last timer', async () => {
    const before = crowdedWalk()
    pay(before, { to: 'ada', at: 3, amount: 395n }) // the timer is due in minute 398
    tick(before, 183)
    const adaIn = (walk: Walk<ToyTypes>) => [...(walk.snapshot()?.tokens ?? [])].find(({ token }) => token === 'ada')
    for (const walk of [before, await restored(before)]) {
      expect(adaIn(walk)?.states).to.deep.equal([undefined, { amounts: [395n], answers: 0, wakes: 0 }])
      tick(walk, 397)
      expect(adaIn(walk)?.states).to.deep.equal([undefined, { amounts: [395n], answers: 0, wakes: 0 }])
    }
  })

  it('are packed after the last timer of a processor that timers often call', async () => {
    // Only the second processor sets a timer, so a timer unpacks nothing.
    const silent: Processor<Ledger, ToyTypes> = { ...ledgerOf('packed', false), onFact: () => {}, onWake: () => {} }
    const createKept = () =>
      createAnyWalk({ stage: toyStage, processors: [{ ...silent, isEmpty: () => false }, ledgerOf('kept', true)] })
    const before = createKept()
    for (const account of crowd) pay(before, { to: account, at: 0 })
    pay(before, { to: 'ada', at: 3, amount: 395n })
    tick(before, 183)
    const after = createKept()
    after.restore(fromChunks(await toChunks(before.snapshot()!)))
    const statesIn = (walk: Walk<ToyTypes>) =>
      [...(walk.snapshot()?.tokens ?? [])].find(({ token }) => token === 'ada')?.states
    for (const walk of [before, after]) {
      tick(walk, 398)
      expect(statesIn(walk)).to.deep.equal([undefined, { amounts: [395n], answers: 0, wakes: 0 }])
      tick(walk, 399)
      expect(packedOf(walk)).to.include('ada')
      expect(statesIn(walk)).to.deep.equal([undefined, undefined])
      pay(walk, { to: 'ada', at: 400 })
      const balance = { type: 'Balance', data: { asOfMs: minute(400), amount: 396n, payments: 2 } }
      expect(tick(walk, 401).map(({ record }) => record)).to.deep.include(balance)
    }
  })

  it('refuse a timer of a processor that the stage does not have', () => {
    const ada = {
      ...{ token: 'ada', states: [], packed: null, serialized: null },
      timers: [minute(9), 2],
      touchedBlock: 3,
    }
    const lastTick = toyTick({ ...blockAt(5), seq: 7 })
    expect(() => createWalk().restore({ lastTick, dictionary: null, tokens: [ada] })).to.throw(
      'the snapshot has a timer of processor 2, and the stage has 2 processors',
    )
  })

  it('give the same outputs as states that were never packed, across restarts too', async () => {
    const step = fc.record({
      gapMinutes: fc.nat(300),
      kind: fc.constantFrom('fact', 'answer', 'nothing'),
      amount: fc.bigInt({ min: 0n, max: 500n }),
      isRestarted: fc.boolean(),
    })
    let packedTimes = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        let crowded = crowdedWalk()
        const alone = createWalk()
        tick(alone, 2)
        let atMinute = 3
        for (const { gapMinutes, kind, amount, isRestarted } of steps) {
          const outputs = [crowded, alone].map((walk) => {
            if (kind === 'fact') pay(walk, { to: 'ada', at: atMinute + gapMinutes, amount: amount })
            if (kind === 'answer') walk.onAnswer('ada', rateAnswered('q'))
            return tick(walk, atMinute + gapMinutes + 1).filter(({ token }) => token === 'ada')
          })
          expect(outputs[0]).to.deep.equal(outputs[1])
          atMinute += gapMinutes + 2
          if (packedOf(crowded).includes('ada')) packedTimes += 1
          expect(packedOf(alone)).to.deep.equal([])
          if (isRestarted) crowded = await restored(crowded)
        }
      }),
      { numRuns: 60 },
    )
    expect(packedTimes).to.be.above(20)
  })
})
