import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { OperationError } from '../../../../infra/errors.ts'
import { restartPauseMsOf, shareAs } from '../../../../infra/log/kafka/share-partitions.ts'
import { topics } from '../../../../schemas/topics.ts'

const topic = Object.values(topics)[0] ?? expect.fail()
const sessionMs = 60
const heartbeatMs = 10

type Answer = 'member' | 'rebalancing' | 'lost' | 'unknown'
type Work = (partitions: readonly number[], signal: AbortSignal, beats: () => number) => Promise<void>
type Told = { events: string[]; logs: (readonly [level: string, context: object])[] }

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/**
 * Shares partitions as a simulated member of a group. The member gets the partitions in `assigned`, and the
 * `answers` to its heartbeats, one after the other.
 */
async function share(
  script: Readonly<{ assigned: readonly (readonly number[] | null)[]; answers?: readonly Answer[]; work: Work }>,
  stop = new AbortController(),
): Promise<Told & Readonly<{ failure: unknown; beats: number }>> {
  const told: Told = { events: [], logs: [] }
  const [assigned, answers] = [[...script.assigned], [...(script.answers ?? [])]]
  let beats = 0
  const member = {
    async join(signal: AbortSignal) {
      expect(signal).to.equal(stop.signal)
      const next = assigned.shift()
      if (next === undefined) stop.abort()
      told.events.push(`join ${next === undefined ? 'and stop' : JSON.stringify(next)}`)
      return next ?? null
    },
    async heartbeat() {
      beats++
      return answers.shift() ?? 'member'
    },
    interrupt: () => void told.events.push('interrupt'),
    async leave() {
      told.events.push('leave')
    },
  }
  const log = (level: string) => (context: object) => void told.logs.push([level, context])
  const logger = { info: log('info'), warn: log('warn') } as never
  const work = async (partitions: readonly number[], signal: AbortSignal): Promise<void> => {
    told.events.push(`work on ${partitions.join()}`)
    await script.work(partitions, signal, () => beats).finally(() => told.events.push('work ends'))
  }
  const failure = await shareAs(member, { groupId: 'g', topic, sessionMs, signal: stop.signal, logger, work }).then(
    () => null,
    (error: unknown) => error,
  )
  return { ...told, failure, beats }
}

describe('sharing partitions as a member of a group', () => {
  it('works on what is assigned, and leaves when the work is finished', async () => {
    const { events, logs, failure } = await share({ assigned: [null, [0, 2]], work: async () => {} })
    expect(events).to.deep.equal(['join null', 'join [0,2]', 'work on 0,2', 'work ends', 'leave'])
    expect(logs).to.deep.equal([['info', { groupId: 'g', topic: topic.name, partitions: [0, 2] }]])
    expect(failure).to.equal(null)
  })

  for (const answer of ['rebalancing', 'lost'] as const)
    it(`stops the work before it joins again when it is ${answer}`, async () => {
      const work: Work = (_, signal) => untilAborted(signal)
      const { events, logs, beats } = await share({
        assigned: [[0], [1]],
        answers: ['member', answer, answer, answer],
        work,
      })
      expect(events.slice(0, 4)).to.deep.equal(['join [0]', 'work on 0', 'work ends', 'join [1]'])
      expect(logs[1]).to.deep.equal(['info', { groupId: 'g', partitions: [0], standing: answer }])
      expect(beats).to.be.at.least(2)
    })

  it('goes on when nobody knows whether it is a member, and says nothing', async () => {
    const stop = new AbortController()
    const work: Work = async (_, signal, beats) => {
      while (beats() < 3) await sleep(1)
      expect(signal.aborted).to.equal(false)
    }
    const { logs, beats, failure } = await share({ assigned: [[0]], answers: ['unknown', 'unknown'], work }, stop)
    expect(logs).to.have.length(1)
    expect(beats).to.be.at.least(2)
    expect(failure).to.equal(null)
  })

  it('sends heartbeats until the work has stopped, and says one time that partitions go', async () => {
    const answers: readonly Answer[] = ['rebalancing', 'rebalancing', 'rebalancing']
    const work: Work = async (_, signal, beats) => {
      await untilAborted(signal)
      while (beats() < 3) await sleep(1)
    }
    const { logs, beats } = await share({ assigned: [[0]], answers, work })
    expect(logs).to.have.length(2)
    expect(beats).to.be.at.least(3)
  })

  it('calls no work without partitions, and waits for others', async () => {
    const { events } = await share({ assigned: [[]], answers: ['member', 'rebalancing'], work: async () => {} })
    expect(events).to.deep.equal(['join []', 'interrupt', 'join and stop', 'leave'])
  })

  it('ends the work and a join that waits when its signal aborts, and leaves', async () => {
    const stop = new AbortController()
    const work: Work = async (_, signal) => {
      stop.abort()
      await untilAborted(signal)
    }
    const { events, failure } = await share({ assigned: [[3]], work }, stop)
    expect(events).to.deep.equal(['join [3]', 'work on 3', 'interrupt', 'work ends', 'leave'])
    expect(failure).to.equal(null)
  })

  for (const code of ['writer_fenced', 'log_unavailable'] as const)
    it(`works again two heartbeats after ${code}, while it has the partitions`, async () => {
      let runs = 0
      const startedAt: number[] = []
      const work: Work = async () => {
        startedAt.push(performance.now())
        if (++runs < 3) throw new OperationError(code, 'for a while')
      }
      const { events, logs, failure } = await share({ assigned: [[1]], work })
      expect(events.filter((event) => event === 'work on 1')).to.have.length(3)
      expect(logs.filter(([level]) => level === 'warn')).to.have.length(2)
      expect(logs[1]?.[1]).to.deep.include({ groupId: 'g', partitions: [1] })
      expect((startedAt[1] ?? 0) - (startedAt[0] ?? 0)).to.be.at.least(2 * heartbeatMs - 2)
      expect(failure).to.equal(null)
    })

  it('ends with any other failure of the work, and leaves before', async () => {
    const wrong = new OperationError('record_corrupt', 'for good')
    const { events, failure } = await share({ assigned: [[1]], work: () => Promise.reject(wrong) })
    expect(events.at(-1)).to.equal('leave')
    expect(failure).to.equal(wrong)
  })

  it('does not work again after it has lost the partitions', async () => {
    const work: Work = async (_, signal) => {
      await untilAborted(signal)
      throw new OperationError('writer_fenced', 'another has them')
    }
    const { events } = await share({ assigned: [[1]], answers: ['lost'], work })
    expect(events.filter((event) => event === 'work on 1')).to.have.length(1)
  })
})

describe('the pause before the work on one partition starts again', () => {
  const fenced = new OperationError('writer_fenced', 'x')
  const away = new OperationError('log_unavailable', 'x')
  const cases: readonly (readonly [string, unknown, boolean])[] = [
    ['the log is away', away, true],
    ['a record is corrupt', new OperationError('record_corrupt', 'x'), false],
    ['the error is of nobody', new TypeError('x'), false],
  ]
  it('is a third of a session when another writer fenced it, however often', () => {
    for (const count of [1, 2, 9]) expect(restartPauseMsOf(3_000)(fenced, count)).to.equal(1_000)
  })
  for (const [name, error, isPaused] of cases)
    it(`is ${isPaused ? 'a time' : 'none'} when ${name}`, () => {
      expect(restartPauseMsOf(3_000)(error, 1) !== null).to.equal(isPaused)
    })
})
