import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import type { PublishedTick } from '../../../api/stream/published-ticks.ts'
import { push } from '../../../api/stream/pushing.ts'
import { OperationError } from '../../../infra/errors.ts'
import { partitionOf } from '../../../infra/log/partition-of.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { address, buildBurst, createDerivedLog, type DerivedLog, noonMs } from '../../projections/derived-log.ts'
import { createDeferred, type Deferred } from '../../support/log/kafka-double/deferred.ts'
import { pushedChains } from '../../support/pushed-chains.ts'

const partition = partitionOf(address(1), chainAStage.derivedTopic.partitionCount)
const [chainA] = pushedChains.filter(({ stage }) => stage === chainAStage)

describe('what is pushed', () => {
  let derived: DerivedLog
  let stop: AbortController
  /** What was given to the stream and to the program's log, in order. */
  let heard: string[]
  let headlines: string[]
  let pauses: Deferred[]
  let nowMs: number
  /** The error that the next read of the log throws. */
  let failure: Error | null

  beforeEach(async () => {
    derived = await createDerivedLog()
    stop = new AbortController()
    ;[heard, headlines, pauses] = [[], [], []]
    nowMs = noonMs
    failure = null
  })
  afterEach(() => stop.abort())

  const start = ({ isStreamed = true, hasHeadlines = false } = {}) => {
    const state = { isOver: false, reads: 0 }
    const headlineOf = (key: string) => ({ atMs: noonMs, text: `news of ${key}` })
    const pushing = push({
      config: { STREAM_ENABLED: isStreamed },
      sources: chainA === undefined ? [] : [{ ...chainA, headlineOf }],
      stream: {
        onTick: ({ partition: at, tick, records }: PublishedTick) => {
          if (at === partition) heard.push(`tick ${tick.seq} with ${records.length}`)
        },
        onStart: ({ partition: at }) => {
          if (at === partition) heard.push('start')
        },
        fail: () => void heard.push('failed'),
      },
      open: {
        ...derived,
        log: {
          ...derived.log,
          async read(...question) {
            state.reads += 1
            const thrown = failure
            failure = null
            if (thrown) throw thrown
            return derived.log.read(...question)
          },
        },
      },
      onHeadline: hasHeadlines ? (text) => void headlines.push(text) : undefined,
      nowMs: () => nowMs,
      logger: { warn: () => {}, error: (_: unknown, text?: string) => void heard.push(`logged: ${text}`) },
      signal: stop.signal,
      delay: async (durationMs, signal) => {
        heard.push(`pause of ${durationMs} ms`)
        const pause = createDeferred()
        pauses.push(pause)
        signal.addEventListener('abort', () => pause.resolve())
        await pause.promise
      },
    })
    const over = pushing.finally(() => {
      state.isOver = true
    })
    return { state, over }
  }
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await nextTurn()
  }
  const publish = async () => {
    await derived.tick(noonMs, [[address(1), buildBurst()]])
    await settle()
  }
  const failWith = async (error: Error) => {
    failure = error
    await publish()
  }
  const said = 'logged: the stream cannot read the log. The next attempt is in 60 s'
  const damaged = () => new OperationError('log_failed', 'the disk is damaged')

  it('are the ticks of the log, until the signal aborts', async () => {
    const { state, over } = start()
    await settle()
    await publish()
    await publish()
    expect(heard.splice(0)).to.deep.equal(['start', 'tick 1 with 1', 'tick 2 with 1'])
    expect(state.isOver).to.equal(false)
    stop.abort()
    await over
    await publish()
    expect(heard).to.deep.equal([])
  })

  it('are no ticks while the log has failed, which the stream is told, and the next ticks a minute later', async () => {
    const { state, over } = start()
    await settle()
    for (const attempt of [1, 2]) {
      await failWith(damaged())
      expect(heard.splice(0)).to.deep.equal(['start', said, 'failed', 'pause of 60000 ms'])
      const { reads } = state
      await publish()
      expect([heard.splice(0), state.reads, state.isOver]).to.deep.equal([[], reads, false])
      pauses[attempt - 1]?.resolve()
      await settle()
      await publish()
      expect(heard).to.deep.equal(['start', `tick ${3 * attempt} with 1`])
      heard.splice(1)
    }
    stop.abort()
    await over
  })

  it('ends without another attempt if the signal aborts during the pause', async () => {
    const { state, over } = start()
    await settle()
    await failWith(damaged())
    const { reads } = state
    stop.abort()
    await over
    await publish()
    expect([state.reads, heard]).to.deep.equal([reads, ['start', said, 'failed', 'pause of 60000 ms']])
  })

  it('is nothing if the signal has aborted before, or if nothing is to be pushed', async () => {
    const nothing = start({ isStreamed: false })
    await settle()
    expect(nothing.state).to.deep.equal({ isOver: true, reads: 0 })
    stop.abort()
    const aborted = start()
    await settle()
    expect(aborted.state).to.deep.equal({ isOver: true, reads: 0 })
    expect(heard).to.deep.equal([])
  })

  it('are headlines of recent events, also without the stream', async () => {
    const { over } = start({ isStreamed: false, hasHeadlines: true })
    await settle()
    const ages = [0, 120_000, 120_001]
    for (const ageMs of ages) {
      nowMs = noonMs + ageMs
      await publish()
    }
    expect(headlines).to.deep.equal(Array(2).fill(`12:00:00  news of ${address(1)}`))
    expect(heard).to.deep.equal([])
    stop.abort()
    await over
  })
})
