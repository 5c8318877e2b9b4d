/** Tests a stage that reads chat posts instead of chain facts. Each post and each edit is its own block. */
import { expect } from 'chai'
import type { Log } from '../../infra/log/log.ts'
import type { Processor } from '../../processors/processor.ts'
import type { RunnableStage } from '../../processors/runtime/runnable-stage.ts'
import { type EventOf, recordOf } from '../../schemas/avro.ts'
import type { RowKey, Stage } from '../../schemas/stage.ts'
import { type Tick, tick } from '../../schemas/tick.ts'
import { type Topic, topics } from '../../schemas/topics.ts'
import { second } from '../support/builders/build-facts.ts'
import { createHoledLog } from '../support/log/holed-log.ts'
import type { KeyedRecord } from './keyed-record.ts'
import { appendFacts, derivedBytes, inBatchesOf, type OpenStage, openStage, readAll, runUntil } from './stage-log.ts'

/**
 * `number` counts the posts and edits that were read from all chats of the partition. An edit has the
 * `postId` of its post.
 */
const seen = [
  { name: 'number', type: 'long' },
  { name: 'atMs', type: 'long' },
  { name: 'postId', type: 'int' },
  { name: 'text', type: 'string' },
] as const
const factSchemas = {
  Posted: recordOf('Posted', [...seen]),
  Edited: recordOf('Edited', [...seen]),
  Tick: tick,
} as const

/** The text of a post one minute after the post. Each later edit emits the record again. */
const postRead = recordOf('PostRead', [
  { name: 'postId', type: 'int' },
  { name: 'postedAtMs', type: 'long' },
  { name: 'text', type: 'string' },
  { name: 'edits', type: 'int' },
])
const derivedSchemas = { PostRead: postRead, Tick: tick } as const

type ChatFact = Exclude<EventOf<typeof factSchemas>, { type: 'Tick' }>
type ChatTypes = Readonly<{
  fact: ChatFact
  answer: never
  derived: Exclude<EventOf<typeof derivedSchemas>, { type: 'Tick' }>
  key: RowKey & Readonly<{ postId: number }>
}>

const topicOf = (name: string, schemas: Topic['schemas']): Topic => ({
  ...{ name, schemas, key: 'chat', writer: 'tests', partitionCount: 1, retentionMs: null },
  ...{ isCompacted: false, isExportable: false },
})
const factTopic = topicOf('chat-facts', factSchemas)
const derivedTopic = topicOf('chat-derived', derivedSchemas)
const topicTable = { 'chat-facts': factTopic, 'chat-derived': derivedTopic, snapshots: topics.snapshots }

const chatStage: Stage<ChatTypes> = {
  name: 'chat',
  factTopic,
  derivedTopic,
  rulesVersion: 'chat-1',
  isAnswer: () => false,
  blockNumberOf: ({ data }) => data.number,
  blockOf: ({ data }) => ({ number: data.number, hash: '0x', atMs: data.atMs }),
  rowKeyOf: ({ type, data }) => ({ recordType: type, postId: data.postId, atMs: data.postedAtMs }),
  rowNameOf: ({ postId }) => String(postId),
  movableTypes: [],
}

type Post = { postedAtMs: number; text: string; edits: number; isRead: boolean }

const readAfterMs = 60_000

const posts: Processor<Map<number, Post>, ChatTypes> = {
  name: 'posts',
  initialState: () => new Map(),
  onFact(state, { type, data: { postId, atMs, text } }, context) {
    const post = state.get(postId)
    if (type === 'Posted') {
      state.set(postId, { postedAtMs: atMs, text, edits: 0, isRead: false })
      context.wakeAt(atMs + readAfterMs)
    } else if (post) Object.assign(post, { text, edits: post.edits + 1 })
  },
  onBlockEnd(state, block, context) {
    for (const [postId, post] of state)
      if (post.isRead && post.postedAtMs + readAfterMs < block.atMs) context.emit(postReadOf(postId, post))
  },
  onWake(state, dueAtMs, context) {
    for (const [postId, post] of state) {
      if (post.postedAtMs + readAfterMs !== dueAtMs) continue
      post.isRead = true
      context.emit(postReadOf(postId, post))
    }
  },
  isEmpty: (state) => state.size === 0,
}

const postReadOf = (postId: number, { postedAtMs, text, edits }: Post): ChatTypes['derived'] => ({
  type: 'PostRead',
  data: { postId, postedAtMs, text, edits },
})

const chat: RunnableStage<ChatTypes> = { stage: chatStage, processors: [posts], views: {} }

//   number   1        2        3          4                      5
//   second   0        20       40   60    81          141         150           200
//   alpha    post 1            edit read                          edit, read
//   beta              post 2              read
//   gamma                                 post 3      read
const said: readonly (readonly [
  key: string,
  type: 'Posted' | 'Edited',
  atSecond: number,
  postId: number,
  text: string,
])[] = [
  ['alpha', 'Posted', 0, 1, 'buy'],
  ['beta', 'Posted', 20, 2, 'sell'],
  ['alpha', 'Edited', 40, 1, 'buy now'],
  ['gamma', 'Posted', 81, 3, 'hold'],
  ['alpha', 'Edited', 150, 1, 'bought'],
]

/** There is a tick after each post or edit, and one last tick at 200 s. */
const records: KeyedRecord<ChatTypes>[] = said.flatMap(([key, type, atSecond, postId, text], index) => [
  { key, record: { type, data: { number: index + 1, atMs: second(atSecond), postId, text } } },
  tickOf({ seq: index + 1, blockNumber: index + 1, blockAtMs: second(atSecond) }),
])
records.push(tickOf({ seq: said.length + 1, blockNumber: said.length, blockAtMs: second(200) }))

function tickOf(fields: Pick<Tick, 'seq' | 'blockNumber' | 'blockAtMs'>): KeyedRecord<ChatTypes> {
  const never = { ethUsd: null, ethUsdAtMs: null, revertedFrom: null, blockHash: '0x' } as const
  const { rulesVersion } = chatStage
  const data: Tick = { ...fields, ...never, knownAtMs: fields.blockAtMs, rulesVersion, source: 'recorded' }
  return { key: 'tick', record: { type: 'Tick', data } }
}

describe('a stage of chat posts', () => {
  const partition = 0
  const lastSeq = said.length + 1
  let open: OpenStage<ChatTypes>
  beforeEach(async () => {
    open = await openStage(chat, undefined, topicTable)
  })

  const logOf = async (): Promise<Log> => {
    const log = createHoledLog({ nowMs: () => 0, topicTable })
    await appendFacts({ ...open, log, partition }, records)
    return log
  }
  const inOneRun = async () => {
    const log = await logOf()
    await runUntil({ ...open, partition }, lastSeq, { log })
    return log
  }

  it('reads each post a minute after it, and again at a later edit', async () => {
    const stored = await readAll(await inOneRun(), derivedTopic.name, partition)
    const rows = stored.flatMap(({ key, value }) => {
      const { type, data } = open.derivedCodec.decode(value!)
      return type === 'PostRead' ? [[key, data.postId, data.text, data.edits]] : []
    })
    expect(rows).to.deep.equal([
      ['alpha', 1, 'buy now', 1],
      ['beta', 2, 'sell', 0],
      ['gamma', 3, 'hold', 0],
      ['alpha', 1, 'bought', 2],
    ])
  })

  it('derives the same bytes when restarted at every tick, from the first fact and from snapshots', async () => {
    const expected = await derivedBytes(await inOneRun(), chatStage, partition)
    for (const snapshotEveryMs of [0, Number.POSITIVE_INFINITY]) {
      const log = await logOf()
      for (let seq = 1; seq <= lastSeq; seq++)
        await runUntil({ ...open, partition }, seq, { log: inBatchesOf(log, 1), snapshotEveryMs })
      expect(await derivedBytes(log, chatStage, partition)).to.deep.equal(expected)
    }
  })
})
