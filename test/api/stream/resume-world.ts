/**
 * A stream over a log in memory, with clients that can stop anywhere and continue at their last id. Each partition of
 * chain A is written on its own, as by separate workers.
 */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { burstId } from '../../../api/chain-a/resources/burst.ts'
import type { Outlet } from '../../../api/stream/clients.ts'
import { parseCursor } from '../../../api/stream/cursor.ts'
import { eventSchemasOf } from '../../../api/stream/event-schemas.ts'
import { type FeedLog, followChains } from '../../../api/stream/feed.ts'
import { createPasses } from '../../../api/stream/passes.ts'
import type { StreamClient } from '../../../api/stream-route.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import type { ChainADerivedRecord } from '../../../schemas/chain-a/derived.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import {
  buildBurst,
  buildMinute,
  buildRestated,
  buildTick,
  buildWithdrawn,
  noonMs,
  poolId,
} from '../../projections/derived-log.ts'
import { createHoledLog } from '../../support/log/holed-log.ts'
import { pushedChains } from '../../support/pushed-chains.ts'
import { streamOf } from '../../support/stream.ts'
import { tokensOfPartitions } from './partition-tokens.ts'

const topic = chainAStage.derivedTopic.name
const { partitionCount } = chainAStage.derivedTopic
const stages = pushedChains.map(({ stage }) => stage)
const schemas = eventSchemasOf(pushedChains)
const secret = 'a secret of the test'

/** What a tick has: a new row, a corrected row, a removed row, or a record that is no event. */
export const kinds = ['burst', 'restated', 'withdrawn', 'minute'] as const
export type Kind = (typeof kinds)[number]

export type Frame = Readonly<{ name: string; id: string | null; line: string; data: Readonly<Record<string, unknown>> }>

/** The frames in a text, with `line` as the text of the data. Each must match the schema of its event. */
export function framesIn(text: string): readonly Frame[] {
  return text
    .split('\n\n')
    .filter((each) => each !== '')
    .map((each) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(each)?.[1] ?? null
      const name = field('event') ?? expect.fail(`no event in ${each}`)
      const line = field('data') ?? expect.fail(`no data in ${each}`)
      return { name, id: field('id'), line, data: schemas[name]?.schema.parse(JSON.parse(line)) as Frame['data'] }
    })
}

export const isRow = ({ name }: Frame): boolean => name in schemas && 'row' in (schemas[name]?.schema.shape ?? {})

/** The hash that the documentation defines. */
export function hashOf(frames: readonly Frame[]): string {
  const hash = createHash('sha256')
  for (const { id, line } of frames) hash.update(`id: ${id}\ndata: ${line}\n`)
  return hash.digest('hex')
}

export const offsetsOf = (id: string | null): readonly number[] =>
  parseCursor(id ?? '', stages) ?? expect.fail(`${id} is no cursor`)

export type Reader = Readonly<{
  frames(): readonly Frame[]
  hasCaughtUp(): boolean
  /** The number of bytes that the client has not taken. */
  state: { waitingBytes: number; isClosed: boolean }
  close(): void
}>

function createReader(): Reader & Readonly<{ outlet: Outlet }> {
  let text = ''
  const closed: (() => void)[] = []
  const state = { waitingBytes: 0, isClosed: false }
  const close = () => {
    state.isClosed = true
    for (const listener of closed.splice(0)) listener()
  }
  const take = (bytes: Buffer) => {
    if (!state.isClosed) text += bytes.toString()
  }
  return {
    state,
    close,
    frames: () => framesIn(text),
    hasCaughtUp: () => text.includes('event: caught-up\n'),
    outlet: {
      send: take,
      waitingBytes: () => state.waitingBytes,
      finish: take,
      destroy: close,
      onceClosed: (listener) => void closed.push(listener),
    },
  }
}

export async function createResumeWorld({ seed = 1 } = {}) {
  const state = { nowMs: noonMs }
  const nowMs = () => state.nowMs
  const registry = createMemoryRegistry()
  const codec = await createSchemaCodec<ChainADerivedRecord>(chainAStage.derivedTopic, registry)
  const log = createHoledLog({ nowMs, seed })
  const writer = await log.openWriter('stage')
  const open: FeedLog = { log, registry }
  const stream = streamOf(pushedChains, { open, nowMs, secret })
  const stopping = new AbortController()
  const following = followChains({
    ...{ ...open, sources: pushedChains, listeners: [stream.onTick], onStart: stream.onStart },
    ...{ nowMs, logger: createLogger('test', 'silent'), signal: stopping.signal },
  })
  const passes = createPasses(secret)
  const seqs = Array<number>(partitionCount).fill(0)
  let rows = 0
  /** The partition of each row, by the id of the row. */
  const partitions = new Map<unknown, number>()
  let readers = 0

  const recordsOf = (kind: Kind, partition: number): readonly ChainADerivedRecord[] => {
    const key = { pool: poolId(++rows), atMs: state.nowMs }
    partitions.set(burstId({ ...key, tier: 'main' }), partition)
    if (kind === 'minute') return [buildMinute()]
    if (kind === 'withdrawn') return [buildWithdrawn(key)]
    return [...(kind === 'restated' ? [buildRestated(key)] : []), buildBurst(key)]
  }
  const connect = async (asked: Partial<StreamClient> = {}) => {
    const issuedAtMs = state.nowMs
    readers += 1
    const token = passes.tokenFor({ paymentId: `pass ${readers}`, issuedAtMs, expiresAtMs: issuedAtMs + 3_600_000 })
    const reader = createReader()
    const client = { token, address: `198.51.100.${readers % 256}`, ...asked }
    const refusal = await stream.route.subscribe(client, () => reader.outlet)
    return { reader, refusal }
  }
  return {
    ...{ state, stream, log, registry },
    /** The partition of the row of a frame. */
    partitionOf: ({ data }: Frame): number => partitions.get(data.id) ?? expect.fail(`no row ${String(data.id)}`),
    /** Appends a tick with these records to one partition. */
    async tick(partition: number, of: readonly Kind[]) {
      state.nowMs += 10
      const key = tokensOfPartitions[partition] as string
      const tick = buildTick({ seq: ++(seqs[partition] as number), knownAtMs: state.nowMs, blockAtMs: state.nowMs })
      seqs[partition] = tick.seq
      const value = ({ type, data }: ChainADerivedRecord) => codec.encode(type, data)
      await writer.append([
        ...of
          .flatMap((kind) => recordsOf(kind, partition))
          .map((record) => ({ topic, partition, key, value: value(record) })),
        { topic, partition, key: 'tick', value: codec.encode('Tick', tick) },
      ])
    },
    connect,
    /** Connects a client that is not refused. */
    async read(asked: Partial<StreamClient> = {}) {
      const { reader, refusal } = await connect(asked)
      expect(refusal).to.equal(null)
      return reader
    },
    /** Waits until all that is in the log was sent. */
    async settle(isSettled: () => boolean = () => true) {
      for (let turn = 0; turn < 12 || !isSettled(); turn++) {
        expect(turn, 'the world does not settle').to.be.lessThan(20_000)
        await nextTurn()
      }
    },
    async close() {
      stream.route.end('shutdown')
      stopping.abort()
      await following
    },
  }
}
