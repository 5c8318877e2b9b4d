import { AssertionError } from 'node:assert'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Processor, ProcessorContext, StageProcessor } from '../../../processors/processor.ts'
import type { TokenOutput } from '../../../processors/runtime/token-entry.ts'
import { createWalk as createAnyWalk } from '../../../processors/runtime/walk.ts'
import { isTick } from '../../../schemas/stage.ts'
import { isFact, type KeyedRecord } from '../../replay/keyed-record.ts'
import { everyMs, perBlock, recut } from '../../replay/recut.ts'
import { opened, paidIn, randomFacts, rateAnswered, toyTick } from '../../replay/toy/toy-facts.ts'
import { type ToyTypes, toyStage } from '../../replay/toy/toy-records.ts'
import { toy } from '../../replay/toy/toy-stage.ts'
import { second, testStartAtMs } from '../../support/builders/build-facts.ts'

type Context = ProcessorContext<ToyTypes>
type Output = TokenOutput<ToyTypes['derived']>

const createWalk = (processors: readonly StageProcessor<ToyTypes>[]) => createAnyWalk({ stage: toyStage, processors })
const note = (dueAtMs: number): ToyTypes['derived'] => ({ type: 'Reminder', data: { number: 0, dueAtMs } })
const secondsOf = (atMs: number) => (atMs - testStartAtMs) / 1000

/**
 * Returns a processor that records each call as `name what token time`. `act` is called with it, and may emit
 * records or set timers.
 */
function scribe(
  name: string,
  calls: string[],
  act: (call: string, context: Context) => void = () => {},
): Processor<Record<string, never>, ToyTypes> {
  const write = (context: Context, what: string) => {
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

const payment = (account: string, atSecond: number, blockNumber = 100 + atSecond) =>
  [account, paidIn({ blockAtMs: second(atSecond), blockNumber })] as const

describe('walk', () => {
  it('goes in event order inside a tick', () => {
    //   time    0                  2    5                6    9
    //   facts   ada and bob pay         ada pays twice        tick
    //   wakes   bob asks for 2, 5, 6    ada asks for 6
    const calls: string[] = []
    const walk = createWalk([
      scribe('p', calls, (call, context) => {
        if (call === 'fact bob 0') for (const at of [5, 2, 6]) context.wakeAt(second(at))
        if (call === 'fact ada 5') context.wakeAt(second(6))
      }),
    ])
    walk.onFact(...payment('bob', 0))
    walk.onAnswer('bob', rateAnswered('q1'))
    walk.onFact(...payment('ada', 0))
    walk.onFact(...payment('ada', 5))
    walk.onFact(...payment('ada', 5))
    walk.onTick(toyTick({ blockAtMs: second(9), blockNumber: 109 }))
    expect(calls).to.deep.equal([
      'p fact bob 0',
      'p fact ada 0',
      'p end ada 0', // by token, not by who came first
      'p end bob 0',
      'p wake bob 2', // due strictly before block time 5
      'p fact ada 5',
      'p fact ada 5',
      'p end ada 5',
      'p wake bob 5', // due at 5: only now, once time has passed it
      'p wake ada 6', // by token where due together; two wishes are one wake
      'p wake bob 6',
      'p answer bob q1', // answers last
    ])
  })

  it('gives a processor the derived records that it reads alone', () => {
    const calls: string[] = []
    const silent: string[] = []
    const walk = createWalk([
      scribe('p', silent, (call, context) => call.startsWith('fact') && context.emit(note(1))),
      { ...scribe('all', calls), reads: [] },
      { ...scribe('some', calls), reads: [], readsDerived: ['Reminder'] },
      { ...scribe('none', calls), reads: [], readsDerived: [] },
    ])
    walk.onFact(...payment('ada', 0))
    walk.onTick(toyTick({ seq: 1, blockAtMs: second(9) }))
    expect(calls).to.deep.equal(['all derived Reminder', 'some derived Reminder'])
  })

  it('gives a processor the facts that it reads alone, and the ends of their blocks', () => {
    const calls: string[] = []
    const walk = createWalk([
      { ...scribe('p', calls), reads: ['PaidIn'], isEmpty: () => false },
      { ...scribe('o', calls), reads: ['Opened'], isEmpty: () => false },
    ])
    const open = (atSecond: number) =>
      ['ada', opened({ blockAtMs: second(atSecond), blockNumber: 100 + atSecond })] as const
    walk.onFact(...open(1))
    walk.onFact(...payment('bob', 1))
    walk.onFact(...payment('ada', 2))
    walk.onFact(...open(3))
    walk.onFact(...payment('ada', 3))
    walk.onTick(toyTick({ blockAtMs: second(9), blockNumber: 109 }))
    expect(calls).to.deep.equal([
      ...['o fact ada 1', 'p fact bob 1', 'o end ada 1', 'p end bob 1'],
      ...['p fact ada 2', 'p end ada 2'],
      ...['o fact ada 3', 'p fact ada 3', 'p end ada 3', 'o end ada 3'],
    ])
  })

  it('remembers a token for those processors alone that had something to do with it, snapshots included', () => {
    const emitting: StageProcessor<ToyTypes> = {
      ...scribe('e', [], (call, context) => call.startsWith('fact bob') && context.emit(note(0))),
      reads: ['PaidIn'],
      isEmpty: () => false,
    }
    const derived = { ...scribe('d', []), reads: [], isEmpty: () => false }
    const other: Processor<object, ToyTypes> = {
      name: 'o',
      initialState: () => ({}),
      reads: ['Opened'],
      isEmpty: () => false,
    }
    const processors = [emitting, derived, other]
    let walk = createWalk(processors)
    const statesNow = () => [...(walk.snapshot()?.tokens ?? [])].map(({ token, states }) => [token, ...states])
    walk.onFact(...payment('ada', 1))
    walk.onFact(...payment('bob', 1))
    walk.onTick(toyTick({ blockAtMs: second(1), blockNumber: 101 }))
    const expected = [
      ['ada', {}, undefined, undefined],
      ['bob', {}, {}, undefined],
    ]
    expect(statesNow()).to.deep.equal(expected)
    const snapshot = walk.snapshot()!
    walk = createWalk(processors)
    walk.restore(snapshot)
    expect(statesNow()).to.deep.equal(expected)
    walk.onFact('ada', opened({ blockAtMs: second(2), blockNumber: 102 }))
    walk.onTick(toyTick({ seq: 2, blockAtMs: second(2), blockNumber: 102 }))
    expect(statesNow()).to.deep.equal([['ada', {}, undefined, undefined], expected[1]])
  })

  it('judges blocks that share a second apart', () => {
    const calls: string[] = []
    const walk = createWalk([scribe('p', calls)])
    walk.onFact(...payment('ada', 1, 7))
    walk.onFact(...payment('ada', 1, 8))
    walk.onTick(toyTick({ blockAtMs: second(1), blockNumber: 8 }))
    expect(calls).to.deep.equal(['p fact ada 1', 'p end ada 1', 'p fact ada 1', 'p end ada 1'])
  })

  it('shows a record at once to the processors behind its emitter, and to no other', () => {
    const calls: string[] = []
    const emitAtFact = (call: string, context: Context) => {
      if (call.startsWith('fact')) context.emit(note(1))
    }
    const walk = createWalk([scribe('first', calls), scribe('second', calls, emitAtFact), scribe('third', calls)])
    walk.onFact(...payment('ada', 1))
    expect(calls).to.deep.equal(['first fact ada 1', 'second fact ada 1', 'third derived Reminder', 'third fact ada 1'])
    const outputs = walk.onTick(toyTick({ blockAtMs: second(1), blockNumber: 101 }))
    expect(outputs).to.deep.equal([{ token: 'ada', record: note(1) }])
  })

  it('fires a wake asked for in the past before any that is due later, and once', () => {
    const calls: string[] = []
    const walk = createWalk([
      scribe('p', calls, (call, context) => {
        if (call === 'fact ada 5') for (const at of [7, 6]) context.wakeAt(second(at))
        if (call === 'wake ada 6') context.wakeAt(second(1))
      }),
    ])
    walk.onFact(...payment('ada', 5))
    walk.onTick(toyTick({ blockAtMs: second(9), blockNumber: 109 }))
    expect(calls.slice(2)).to.deep.equal(['p wake ada 6', 'p wake ada 1', 'p wake ada 7'])
  })

  it('stops a processor that wakes itself for ever', () => {
    const walk = createWalk([
      scribe('p', [], (call, context) => context.wakeAt(second(call.startsWith('wake') ? 0 : 1))),
    ])
    walk.onFact(...payment('ada', 1))
    expect(() => walk.onTick(toyTick({ blockAtMs: second(9), blockNumber: 109 }))).to.throw(
      AssertionError,
      'p never stops',
    )
  })

  it('lets any number of timers fire that are not set in the past', () => {
    const many = 100_001
    let wakes = 0
    const onward = createWalk([
      scribe('p', [], (call, context) => {
        if (call.startsWith('wake')) wakes += 1
        if (wakes < many) context.wakeAt(second(1) + wakes)
      }),
    ])
    onward.onFact(...payment('ada', 1))
    onward.onTick(toyTick({ blockAtMs: second(999), blockNumber: 1099 }))
    expect(wakes, 'one after the other').to.equal(many)
    wakes = 0
    const together = createWalk([
      scribe('p', [], (call, context) => {
        if (call.startsWith('wake')) wakes += 1
        else context.wakeAt(second(2))
      }),
    ])
    for (let token = 0; token < many; token++) together.onFact(...payment(`${token}`, 1))
    together.onTick(toyTick({ blockAtMs: second(9), blockNumber: 109 }))
    expect(wakes, 'of as many tokens at one instant').to.equal(many)
  })

  it('forgets a token when no processor and no timer needs it', () => {
    //   time    1              5      8
    //           pays           tick   tick
    //           asks for a wake at 6  the last wake is done, so the token is forgotten
    const walk = createWalk([scribe('p', [], (call, context) => call.startsWith('fact') && context.wakeAt(second(6)))])
    walk.onFact(...payment('ada', 1))
    walk.onTick(toyTick({ blockAtMs: second(5), blockNumber: 105 }))
    expect(walk.counts()).to.deep.equal({ tokens: 1, timers: 1 })
    walk.onTick(toyTick({ seq: 2, blockAtMs: second(8), blockNumber: 108 }))
    expect(walk.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })

  describe('refuses, as our own bug,', () => {
    const walked = () => {
      const walk = createWalk([scribe('p', [])])
      walk.onFact(...payment('ada', 5))
      walk.onTick(toyTick({ seq: 4, blockAtMs: second(5), blockNumber: 105, knownAtMs: second(6) }))
      return walk
    }
    const next = { seq: 5, blockAtMs: second(6), blockNumber: 106, knownAtMs: second(6) }
    /**
     * Only the next tick says whether there was a reorg. So the walk can refuse facts of closed blocks only
     * at this tick.
     */
    const closedBehind = (...fact: ReturnType<typeof payment>) => {
      const walk = walked()
      walk.onFact(...fact)
      walk.onTick(toyTick(next))
    }
    const handed = (...facts: readonly ReturnType<typeof payment>[]) => {
      const walk = walked()
      for (const fact of facts) walk.onFact(...fact)
      return walk
    }
    const refused: [string, () => unknown][] = [
      ['a fact of a closed block', () => closedBehind(...payment('ada', 5))],
      ['a fact earlier than the tick before it', () => closedBehind(...payment('ada', 4, 106))],
      ['a tick left out', () => walked().onTick(toyTick({ ...next, seq: 6 }))],
      ['a tick repeated', () => walked().onTick(toyTick({ ...next, seq: 4 }))],
      ['a tick repeated among rising ones', () => walked().onTick(toyTick({ ...next, seq: 4 }), 'rising')],
      ['knownAtMs falling', () => walked().onTick(toyTick({ ...next, knownAtMs: second(5) }))],
      ['blockAtMs falling', () => walked().onTick(toyTick({ ...next, blockAtMs: second(4) }))],
      ['blockNumber falling', () => walked().onTick(toyTick({ ...next, blockNumber: 104 }))],
      ['a block of a lower number', () => handed(payment('ada', 8, 108), payment('ada', 8, 107))],
      ['a block of an earlier time', () => handed(payment('ada', 8, 108), payment('ada', 7, 109))],
      ['a tick of a lower number than the block in hand', () => handed(payment('ada', 6, 108)).onTick(toyTick(next))],
      ['a tick of an earlier time than the block in hand', () => handed(payment('ada', 8, 106)).onTick(toyTick(next))],
      ['a snapshot inside a block', () => handed(payment('ada', 8)).snapshot()],
      [
        'a snapshot before an answer was given',
        () => {
          const walk = walked()
          walk.onAnswer('ada', rateAnswered('q'))
          walk.snapshot()
        },
      ],
      ['a restored snapshot after a tick', () => walked().restore(walked().snapshot()!)],
      [
        'a restored snapshot inside a block',
        () => {
          const walk = createWalk([scribe('p', [])])
          walk.onFact(...payment('ada', 5))
          walk.restore(walked().snapshot()!)
        },
      ],
      [
        'a block behind the one in hand',
        () => {
          const walk = walked()
          walk.onFact(...payment('ada', 8))
          walk.onFact(...payment('ada', 7))
        },
      ],
      [
        'a tick behind the block in hand',
        () => {
          const walk = walked()
          walk.onFact(...payment('ada', 8))
          walk.onTick(toyTick(next))
        },
      ],
      [
        'a context used outside a call',
        () => {
          let kept: Context | undefined
          const walk = createWalk([
            scribe('p', [], (_, context) => {
              kept = context
            }),
          ])
          walk.onFact(...payment('ada', 8))
          walk.onTick(toyTick({ blockAtMs: second(8), blockNumber: 108 }))
          kept?.emit(note(1))
        },
      ],
    ]
    for (const [what, does] of refused) it(what, () => expect(does).to.throw(AssertionError))
  })

  it('walks no fact behind one of a closed block: they belong to another branch', () => {
    const calls: string[] = []
    const walk = createWalk([scribe('p', calls)])
    walk.onFact(...payment('ada', 5))
    walk.onTick(toyTick({ blockAtMs: second(5), blockNumber: 105 }))
    walk.onFact(...payment('ada', 5))
    walk.onFact(...payment('ada', 6))
    expect(calls).to.deep.equal(['p fact ada 5', 'p end ada 5'])
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

function walkAll(records: readonly KeyedRecord<ToyTypes>[]): Output[] {
  const walk = createAnyWalk(toy)
  return records.flatMap(({ key, record }) => {
    if (isTick(record)) return walk.onTick(record.data)
    if (isFact(toyStage, record)) walk.onFact(key, record)
    else walk.onAnswer(key, record)
    return []
  })
}
