import { AssertionError } from 'node:assert'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Processor, ProcessorContext } from '../../../processors/processor.ts'
import type { Token } from '../../../processors/runtime/token-book.ts'
import { createWalk, type TokenOutput } from '../../../processors/runtime/walk.ts'
import type { ChainADerived } from '../../../schemas/chain-a/derived.ts'
import { everyMs, type KeyedRecord, perBlock, recut } from '../../replay/recut.ts'
import { randomFacts, toyStage } from '../../replay/toy-stage.ts'
import {
  buildPoolInitialized,
  buildSendersAnswered,
  buildSwap,
  buildTick,
  second,
  testStartAtMs,
} from '../../support/build-facts.ts'

const note = (closedAtMs: number): ChainADerived => ({ type: 'PoolClosed', data: { pool: '0x00', closedAtMs } })
const secondsOf = (atMs: number) => (atMs - testStartAtMs) / 1000

/** Writes down each call it gets, as `name what token time`; `act` may emit or ask for wakes. */
function scribe(
  name: string,
  calls: string[],
  act: (call: string, context: ProcessorContext) => void = () => {},
): Processor<Record<string, never>> {
  const write = (context: ProcessorContext, what: string) => {
    calls.push(`${name} ${what}`)
    act(what, context)
  }
  return {
    name,
    initialState: () => ({}),
    onFact: (_, { data }, context) => write(context, `fact ${context.token} ${secondsOf(data.blockAtMs)}`),
    onDerived: (_, record, context) => write(context, `derived ${record.type}`),
    onBlockEnd: (_, block, context) => write(context, `end ${context.token} ${secondsOf(block.atMs)}`),
    onWake: (_, dueAtMs, context) => write(context, `wake ${context.token} ${secondsOf(dueAtMs)}`),
    onAnswer: (_, answer, context) => write(context, `answer ${context.token} ${answer.data.questionId}`),
    isEmpty: () => true,
  }
}

const swap = (token: Token, atSecond: number, blockNumber = 100 + atSecond) =>
  [token, buildSwap({ blockAtMs: second(atSecond), blockNumber })] as const

describe('walk', () => {
  it('goes in event order inside a tick', () => {
    //  t   0        2        5        6        9
    //      swap b   .        swap a   .        tick
    //      swap a            swap a
    //      wishes 2, 5, 6    wishes 6
    const calls: string[] = []
    const walk = createWalk([
      scribe('p', calls, (call, context) => {
        if (call === 'fact 0xb 0') for (const at of [5, 2, 6]) context.wakeAt(second(at))
        if (call === 'fact 0xa 5') context.wakeAt(second(6))
      }),
    ])
    walk.onRecord(...swap('0xb', 0))
    walk.onRecord('0xb', buildSendersAnswered({ questionId: 'q1' }))
    walk.onRecord(...swap('0xa', 0))
    walk.onRecord(...swap('0xa', 5))
    walk.onRecord(...swap('0xa', 5))
    walk.onTick(buildTick({ blockAtMs: second(9), blockNumber: 109 }))
    expect(calls).to.deep.equal([
      'p fact 0xb 0',
      'p fact 0xa 0',
      'p end 0xa 0', // by token, not by who came first
      'p end 0xb 0',
      'p wake 0xb 2', // due strictly before block time 5
      'p fact 0xa 5',
      'p fact 0xa 5',
      'p end 0xa 5',
      'p wake 0xb 5', // due at 5: only now, once time has passed it
      'p wake 0xa 6', // by token where due together; two wishes are one wake
      'p wake 0xb 6',
      'p answer 0xb q1', // answers last
    ])
  })

  it('gives a processor the facts that it reads alone, and the ends of their blocks', () => {
    const calls: string[] = []
    const walk = createWalk([
      { ...scribe('s', calls), reads: ['Swap'], isEmpty: () => false },
      { ...scribe('i', calls), reads: ['PoolInitialized'], isEmpty: () => false },
    ])
    const initialize = (atSecond: number) =>
      ['0xa', buildPoolInitialized({ blockAtMs: second(atSecond), blockNumber: 100 + atSecond })] as const
    walk.onRecord(...initialize(1))
    walk.onRecord(...swap('0xb', 1))
    walk.onRecord(...swap('0xa', 2))
    walk.onRecord(...initialize(3))
    walk.onRecord(...swap('0xa', 3))
    walk.onTick(buildTick({ blockAtMs: second(9), blockNumber: 109 }))
    expect(calls).to.deep.equal([
      ...['i fact 0xa 1', 's fact 0xb 1', 'i end 0xa 1', 's end 0xb 1'],
      ...['s fact 0xa 2', 's end 0xa 2'],
      ...['i fact 0xa 3', 's fact 0xa 3', 's end 0xa 3', 'i end 0xa 3'],
    ])
  })

  it('remembers a token for those processors alone that had something to do with it, snapshots included', () => {
    const emitting: Processor = {
      ...scribe('e', [], (call, context) => call.startsWith('fact 0xb') && context.emit(note(0))),
      reads: ['Swap'],
      isEmpty: () => false,
    }
    const derived = { ...scribe('d', []), reads: [], isEmpty: () => false }
    const other: Processor = { name: 'o', initialState: () => ({}), reads: ['PoolInitialized'], isEmpty: () => false }
    const processors = [emitting, derived, other]
    let walk = createWalk(processors)
    const statesNow = () => [...(walk.snapshot()?.tokens ?? [])].map(({ token, states }) => [token, ...states])
    walk.onRecord(...swap('0xa', 1))
    walk.onRecord(...swap('0xb', 1))
    walk.onTick(buildTick({ blockAtMs: second(1), blockNumber: 101 }))
    const expected = [
      ['0xa', {}, undefined, undefined],
      ['0xb', {}, {}, undefined],
    ]
    expect(statesNow()).to.deep.equal(expected)
    const snapshot = walk.snapshot()!
    walk = createWalk(processors)
    walk.restore(snapshot)
    expect(statesNow()).to.deep.equal(expected)
    walk.onRecord('0xa', buildPoolInitialized({ blockAtMs: second(2), blockNumber: 102 }))
    walk.onTick(buildTick({ seq: 2, blockAtMs: second(2), blockNumber: 102 }))
    expect(statesNow()).to.deep.equal([['0xa', {}, undefined, undefined], expected[1]])
  })

  it('judges blocks that share a second apart', () => {
    const calls: string[] = []
    const walk = createWalk([scribe('p', calls)])
    walk.onRecord(...swap('0xa', 1, 7))
    walk.onRecord(...swap('0xa', 1, 8))
    walk.onTick(buildTick({ blockAtMs: second(1), blockNumber: 8 }))
    expect(calls).to.deep.equal(['p fact 0xa 1', 'p end 0xa 1', 'p fact 0xa 1', 'p end 0xa 1'])
  })

  it('shows a record at once to the processors behind its emitter, and to no other', () => {
    const calls: string[] = []
    const emitAtFact = (call: string, context: ProcessorContext) => {
      if (call.startsWith('fact')) context.emit(note(1))
    }
    const walk = createWalk([scribe('first', calls), scribe('second', calls, emitAtFact), scribe('third', calls)])
    walk.onRecord(...swap('0xa', 1))
    expect(calls).to.deep.equal([
      'first fact 0xa 1',
      'second fact 0xa 1',
      'third derived PoolClosed',
      'third fact 0xa 1',
    ])
    const outputs = walk.onTick(buildTick({ blockAtMs: second(1), blockNumber: 101 }))
    expect(outputs).to.deep.equal([{ token: '0xa', record: note(1) }])
  })

  it('fires a wake asked for in the past before any that is due later, and once', () => {
    const calls: string[] = []
    const walk = createWalk([
      scribe('p', calls, (call, context) => {
        if (call === 'fact 0xa 5') for (const at of [7, 6]) context.wakeAt(second(at))
        if (call === 'wake 0xa 6') context.wakeAt(second(1))
      }),
    ])
    walk.onRecord(...swap('0xa', 5))
    walk.onTick(buildTick({ blockAtMs: second(9), blockNumber: 109 }))
    expect(calls.slice(2)).to.deep.equal(['p wake 0xa 6', 'p wake 0xa 1', 'p wake 0xa 7'])
  })

  it('stops a processor that wakes itself for ever', () => {
    const walk = createWalk([
      scribe('p', [], (call, context) => context.wakeAt(second(call.startsWith('wake') ? 0 : 1))),
    ])
    walk.onRecord(...swap('0xa', 1))
    expect(() => walk.onTick(buildTick({ blockAtMs: second(9), blockNumber: 109 }))).to.throw(
      AssertionError,
      'p never stops',
    )
  })

  it('forgets a token when no processor and no timer needs it', () => {
    //  t   1          5     8
    //      swap       tick  tick
    //      wishes 6 ────────┘ the last wish is gone: forgotten
    const walk = createWalk([scribe('p', [], (call, context) => call.startsWith('fact') && context.wakeAt(second(6)))])
    walk.onRecord(...swap('0xa', 1))
    walk.onTick(buildTick({ blockAtMs: second(5), blockNumber: 105 }))
    expect(walk.counts()).to.deep.equal({ tokens: 1, timers: 1 })
    walk.onTick(buildTick({ seq: 2, blockAtMs: second(8), blockNumber: 108 }))
    expect(walk.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })

  describe('refuses, as our own bug,', () => {
    const walked = () => {
      const walk = createWalk([scribe('p', [])])
      walk.onRecord(...swap('0xa', 5))
      walk.onTick(buildTick({ seq: 4, blockAtMs: second(5), blockNumber: 105, knownAtMs: second(6) }))
      return walk
    }
    const next = { seq: 5, blockAtMs: second(6), blockNumber: 106, knownAtMs: second(6) }
    /** Only the tick says whether the chain was reverted. */
    const closedBehind = (...fact: ReturnType<typeof swap>) => {
      const walk = walked()
      walk.onRecord(...fact)
      walk.onTick(buildTick(next))
    }
    const refused: [string, () => unknown][] = [
      ['a fact of a closed block', () => closedBehind(...swap('0xa', 5))],
      ['a fact earlier than the tick before it', () => closedBehind(...swap('0xa', 4, 106))],
      ['a tick left out', () => walked().onTick(buildTick({ ...next, seq: 6 }))],
      ['a tick repeated', () => walked().onTick(buildTick({ ...next, seq: 4 }))],
      ['a tick repeated among rising ones', () => walked().onTick(buildTick({ ...next, seq: 4 }), 'rising')],
      ['knownAtMs falling', () => walked().onTick(buildTick({ ...next, knownAtMs: second(5) }))],
      ['blockAtMs falling', () => walked().onTick(buildTick({ ...next, blockAtMs: second(4) }))],
      [
        'a block behind the one in hand',
        () => {
          const walk = walked()
          walk.onRecord(...swap('0xa', 8))
          walk.onRecord(...swap('0xa', 7))
        },
      ],
      [
        'a tick behind the block in hand',
        () => {
          const walk = walked()
          walk.onRecord(...swap('0xa', 8))
          walk.onTick(buildTick(next))
        },
      ],
      [
        'a context used outside a call',
        () => {
          let kept: ProcessorContext | undefined
          const walk = createWalk([
            scribe('p', [], (_, context) => {
              kept = context
            }),
          ])
          walk.onRecord(...swap('0xa', 8))
          walk.onTick(buildTick({ blockAtMs: second(8), blockNumber: 108 }))
          kept?.emit(note(1))
        },
      ],
    ]
    for (const [what, does] of refused) it(what, () => expect(does).to.throw(AssertionError))
  })

  it('gives the same records however coarse the ticks are', () => {
    fc.assert(
      fc.property(randomFacts({ hasAnswers: false }), (records) => {
        const asTicked = walkAll(records)
        for (const cut of [perBlock, everyMs(1000), everyMs(10_000), everyMs(3_600_000)])
          expect(walkAll(recut(records, cut))).to.deep.equal(asTicked)
      }),
    )
  })
})

function walkAll(records: readonly KeyedRecord[]): TokenOutput[] {
  const walk = createWalk(toyStage)
  return records.flatMap(({ key, record }) => {
    if (record.type === 'Tick') return walk.onTick(record.data)
    walk.onRecord(key as Token, record)
    return []
  })
}
