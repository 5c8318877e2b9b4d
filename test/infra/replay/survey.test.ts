import { expect } from 'chai'
import fc from 'fast-check'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { findRange, readReplay } from '../../../infra/replay/read-replay.ts'
import { realClock } from '../../../infra/replay/replay.ts'
import { selectTopics } from '../../../infra/replay/replayed-topics.ts'
import { surveyReplay } from '../../../infra/replay/survey.ts'
import { second } from '../../support/builders/build-facts.ts'
import { asReplayLog, drawnSteps, knownAtOf, type Step, stepsOfSwaps, writeSteps } from './drawn-log.ts'

describe('a survey of a replay', () => {
  const found = async (steps: readonly Step[], range: Readonly<{ from: number; to: number }>) => {
    const log = createMemoryLog({ nowMs: () => 0 })
    const { open, stages } = asReplayLog(log, createMemoryRegistry())
    await writeSteps(log, open.registry, steps)
    const { signal } = new AbortController()
    return findRange({ open, topics: selectTopics(stages, {}), range, clock: realClock, signal })
  }

  it('counts what the replay gives', async () => {
    await fc.assert(
      fc.asyncProperty(drawnSteps, async (steps) => {
        const range = { from: knownAtOf(steps[1] as Step), to: knownAtOf(steps.at(-2) as Step) }
        fc.pre(range.from < range.to)
        const replay = await found(steps, range)
        const counts = new Map<string, number>()
        for await (const { record } of readReplay(replay, { speed: Number.POSITIVE_INFINITY })) {
          const { topic, type } = record
          const id = `${topic} ${type}`
          counts.set(id, (counts.get(id) ?? 0) + 1)
        }
        const survey = await surveyReplay(replay)
        const surveyed = survey.counts.map(({ topic, type, records }) => [`${topic} ${type}`, records] as const)
        expect(Object.fromEntries(surveyed)).to.deep.equal(Object.fromEntries(counts))
        expect(survey.counts.every(({ records, bytes }) => bytes > 10 * records)).to.equal(true)
      }),
      { numRuns: 10 },
    )
  })

  it('tells the spans in which no tick was written, also at both ends', async () => {
    // The ticks become known at 2 to 6 s, at 200 s, and at 400 to 402 s.
    const at = [0, 1, 2, 3, 4, 198, 398, 399, 400]
    const replay = await found(stepsOfSwaps(at), { from: second(4) + 1, to: second(401) })
    expect((await surveyReplay(replay)).gaps).to.deep.equal([
      { stage: 'chain-a', from: second(6), to: second(200) },
      { stage: 'chain-a', from: second(200), to: second(400) },
    ])
    const inside = await found(stepsOfSwaps(at), { from: second(10), to: second(350) })
    expect((await surveyReplay(inside)).gaps).to.deep.equal([
      { stage: 'chain-a', from: second(10), to: second(200) },
      { stage: 'chain-a', from: second(200), to: second(350) },
    ])
  })
})
