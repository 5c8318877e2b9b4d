import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import { readConfig } from '../../infra/config.ts'
import { OperationError } from '../../infra/errors.ts'
import { writerFenced } from '../../infra/log/append.ts'
import type { Log } from '../../infra/log/log.ts'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import { createLogger } from '../../infra/telemetry.ts'
import type { Chain } from '../../ingest/chain.ts'
import { createSimulator as simulateA } from '../../ingest/chain-a/simulated/simulator.ts'
import { createSimulator as simulateB } from '../../ingest/chain-b/simulated/simulator.ts'
import { chatsDefinition } from '../../ingest/chats/definition.ts'
import { createIngestCodecs } from '../../ingest/codecs.ts'
import { runIngestProgram } from '../../ingest/main.ts'
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import type { PostSeen } from '../../schemas/chats/facts.ts'
import { silentLogger } from '../replay/stage-log.ts'
import { buildContent, mintOf } from './mentions/build-post.ts'
import { readRecords } from './read-records.ts'

const span = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 0, 1, 0, 10) }
const market = () => ({ seed: 1, span, nowMs: () => span.toMs, rangeSec: 60 })

/** Returns the chain with a source that fails before its first range. */
function failing(chain: Chain, code: 'chain_mismatch' | 'range_refused'): Chain {
  return {
    ...chain,
    source: {
      kind: 'simulated',
      // biome-ignore lint/correctness/useYield: it fails before its first range
      async *ranges() {
        throw new OperationError(code, 'a fault that a restart does not mend')
      },
    },
  }
}

/**
 * Returns the chain with a source that does not end after its last range, as if it waited for the next block.
 */
function staying(chain: Chain): Chain {
  const { ranges } = chain.source
  return {
    ...chain,
    source: {
      kind: 'simulated',
      async *ranges(cursor, known, signal) {
        yield* ranges(cursor, known, signal)
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      },
    },
  }
}

/**
 * The posts are so old that they no longer wait for the launch of a token. They are new enough to be read
 * again after a start.
 */
const firstPlace = { blockNumber: 1, blockHash: '0x', blockAtMs: Date.now() - 60_000 } as const

const postsOf = (posts: readonly PostSeen[]): Chain => ({
  ...chatsDefinition,
  source: {
    kind: 'simulated',
    async *ranges() {
      const facts = posts.map((data) => ({ key: data.chat, fact: { type: 'PostSeen', data } as const }))
      const head = { number: firstPlace.blockNumber, hash: firstPlace.blockHash, atMs: firstPlace.blockAtMs }
      yield { fromBlock: 1, head, facts, newAddresses: [] }
    },
  },
  readPrice: null,
  lookups: [],
})

describe('the ingest program', () => {
  /** Runs until the first partition of `topic` has `count` records. */
  const runUntil = async (chains: readonly Chain[], topic: 'chain-a-facts' | 'chain-b-facts', count: number) => {
    const log = createMemoryLog({ nowMs: Date.now })
    const stop = new AbortController()
    const context = { config: readConfig({}), share: { index: 0, count: 1 }, logger: silentLogger, report: () => {} }
    const open = { log, registry: createMemoryRegistry() }
    const running = runIngestProgram({ ...context, signal: stop.signal }, open, chains)
    const failure = running.then(
      () => null,
      (error: unknown) => error,
    )
    let isOver = false
    void failure.then(() => {
      isOver = true
    })
    while (!isOver && (await log.bounds(topic, 0)).endOffset < count) await nextTurn()
    stop.abort()
    return failure
  }

  it('ingests chain A though the source of chain B fails at every try', async () => {
    const chains = [staying(simulateA(market())), failing(simulateB(market()), 'chain_mismatch')]
    expect(await runUntil(chains, 'chain-a-facts', 12)).to.equal(null)
  })

  it('ingests chain B though the source of chain A fails at every try', async () => {
    const chains = [failing(simulateA(market()), 'chain_mismatch'), staying(simulateB(market()))]
    expect(await runUntil(chains, 'chain-b-facts', 12)).to.equal(null)
  })

  it('writes what the posts of chats say to the facts of the chains', async () => {
    const log = createMemoryLog({ nowMs: Date.now })
    const registry = createMemoryRegistry()
    const stop = new AbortController()
    const context = { config: readConfig({}), share: { index: 0, count: 1 }, logger: silentLogger, report: () => {} }
    const open = { log, registry }
    const chats = staying(postsOf([{ ...buildContent({ text: mintOf(1) }), ...firstPlace }]))
    const running = runIngestProgram({ ...context, signal: stop.signal }, open, [chats, staying(simulateB(market()))])
    const { facts } = await createIngestCodecs(chainBStage, registry)
    const mentioned = async () =>
      (await readRecords(log, 'chain-b-facts', facts)).filter(({ record }) => record?.type === 'Mentioned')
    while ((await mentioned()).length === 0) await nextTurn()
    stop.abort()
    await running
    expect((await mentioned()).map(({ key }) => key)).to.deep.equal([mintOf(1)])
  })

  /**
   * Runs on a log that refuses the appends of one writer. A real log does this if a later writer with the
   * same name was opened.
   */
  const linesWhereFenced = async (chains: readonly Chain[], fencedId: string) => {
    const held = createMemoryLog({ nowMs: Date.now })
    const log: Log = {
      ...held,
      async openWriter(writerId, options) {
        const writer = await held.openWriter(writerId, options)
        return writerId === fencedId
          ? { ...writer, append: async () => Promise.reject(writerFenced(writerId)) }
          : writer
      },
    }
    const stop = new AbortController()
    const lines: { msg: string; err?: { message: string } }[] = []
    const logger = createLogger('ingest', 'error', { write: (line) => void lines.push(JSON.parse(line)) })
    const context = { config: readConfig({}), share: { index: 0, count: 1 }, logger, report: () => {} }
    const open = { log, registry: createMemoryRegistry() }
    const running = runIngestProgram({ ...context, signal: stop.signal }, open, chains)
    while (lines.length === 0) await nextTurn()
    stop.abort()
    await running
    return lines.map(({ msg, err }) => [msg, err?.message.split(',')[0]])
  }

  for (const [part, writerId, what] of [
    ['ingest of chain-b', 'ingest-chain-b', 'chain-b'],
    ['mentions', 'mentions', 'mentions'],
  ] as const)
    it(`says what a second ingest has done to the first one: ${part}`, async () => {
      const chats = staying(postsOf([{ ...buildContent({ text: mintOf(1) }), ...firstPlace }]))
      expect(await linesWhereFenced([chats, staying(simulateB(market()))], writerId)).to.deep.equal([
        [
          `${part} failed. It stays stopped. The other parts continue`,
          `another ingest of ${what} started and fenced this process`,
        ],
      ])
    })

  it('ends when both fail', async () => {
    const chains = [failing(simulateA(market()), 'chain_mismatch'), failing(simulateB(market()), 'range_refused')]
    expect(await runUntil(chains, 'chain-a-facts', 12))
      .to.have.property('code')
      .that.is.oneOf(['chain_mismatch', 'range_refused'])
  })
})
