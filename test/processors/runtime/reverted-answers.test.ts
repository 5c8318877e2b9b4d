import { expect } from 'chai'
import type { ProcessorContext } from '../../../processors/processor.ts'
import { createWalk } from '../../../processors/runtime/walk.ts'
import { paidIn, rateAnswered, toyTick } from '../../replay/toy/toy-facts.ts'
import { type ToyTypes, toyStage } from '../../replay/toy/toy-records.ts'
import { second } from '../../support/builders/build-facts.ts'

describe('answers of reverted ticks', () => {
  /** Notes each call. The processor asks for a timer at 4 s when it gets the answer `q2`. */
  const walked = () => {
    const calls: string[] = []
    /** The time that the processor sees at each call, in seconds. */
    const times: Record<string, number> = {}
    const at = (ms: number) => (ms - second(0)) / 1000
    const note = (what: string, context: ProcessorContext<ToyTypes>) => {
      calls.push(what)
      times[what] = at(context.processedUntilMs)
      if (what === 'q2') context.wakeAt(second(4))
    }
    const walk = createWalk<ToyTypes>({
      stage: toyStage,
      processors: [
        {
          ...{ name: 'scribe', stateVersion: 1, reads: ['PaidIn'] },
          initialState: () => ({}),
          onFact: (_, { data }, context) => note(`fact ${at(data.blockAtMs)}`, context),
          onWake: (_, dueAtMs, context) => note(`timer ${at(dueAtMs)}`, context),
          onAnswer: (_, { data }, context) => note(data.questionId, context),
          isEmpty: () => true,
        },
      ],
    })
    return { calls, times, walk }
  }
  const tick = (seq: number, atSecond: number) =>
    toyTick({ seq, blockNumber: 100 + atSecond, blockAtMs: second(atSecond) })
  const fact = (atSecond: number) => paidIn({ blockAtMs: second(atSecond), blockNumber: 100 + atSecond })

  //   log          q1 · tick 2 · q2 · tick 5 · q3 · tick 6 | 3 and 6 again · q4 · tick 7, revertedFrom 2
  //   new branch   q1 (2)   fact 3   timer 4 ...  q2 (5)   fact 6   q3 (6)   q4 (7)
  it('are given at the blocks of their ticks, after the timers that were due by then', () => {
    const { calls, walk } = walked()
    walk.onTick(tick(1, 1))
    for (const [id, seq, atSecond] of [
      ['q1', 2, 2],
      ['q2', 3, 5],
      ['q3', 4, 6],
    ] as const) {
      walk.onAnswer('ada', rateAnswered(id))
      walk.onRevertedTick(tick(seq, atSecond))
    }
    walk.onFact('ada', fact(3))
    walk.onFact('ada', fact(6))
    walk.onAnswer('ada', rateAnswered('q4'))
    walk.onTick(tick(5, 7), 'rising')
    expect(calls).to.deep.equal(['q1', 'fact 3', 'q2', 'timer 4', 'fact 6', 'q3', 'q4'])
  })

  it('do not set the time back if the new branch has later blocks', () => {
    const { walk, times } = walked()
    walk.onTick(tick(1, 1))
    walk.onAnswer('ada', rateAnswered('q1'))
    walk.onRevertedTick(toyTick({ seq: 2, blockNumber: 104, blockAtMs: second(2) }))
    walk.onAnswer('ada', rateAnswered('q2'))
    walk.onRevertedTick(toyTick({ seq: 3, blockNumber: 105, blockAtMs: second(90) }))
    walk.onFact('ada', fact(3))
    walk.onFact('ada', fact(6))
    walk.onTick(tick(4, 7), 'rising')
    expect(times).to.deep.equal({ 'fact 3': 3, q1: 3, q2: 3, 'timer 4': 6, 'fact 6': 6 })
  })

  it('come with the tick of the reorg if its branch is shorter, in the order of the log', () => {
    const { calls, walk } = walked()
    walk.onTick(tick(1, 1))
    walk.onAnswer('ada', rateAnswered('q1'))
    walk.onRevertedTick(tick(2, 9))
    walk.onRevertedTick(tick(3, 10))
    walk.onAnswer('ada', rateAnswered('q2'))
    walk.onTick(tick(4, 5), 'rising')
    walk.onTick(tick(5, 6))
    expect(calls).to.deep.equal(['q1', 'q2', 'timer 4'])
    expect(walk.snapshot()?.lastTick.seq).to.equal(5)
  })
})
