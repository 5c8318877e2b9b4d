/**
 * Runs one engine as a program: `engines.ts <engine> <brokers> <topic in> <topic out> <id>`. The program
 * prints `FIRST <epoch ms>` at its first record, and runs until it is stopped.
 */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import avsc from 'avsc'
import { Kafka, logLevel, type Message, Partitioners } from 'kafkajs'
// @ts-expect-error: The file is plain JavaScript, without types.
import { allocateYoung } from '../../../infra/command-line/v8-settings.js'
import { tickKey } from '../../../schemas/topics.ts'
import { runOurs } from './our-runtime.ts'
import type { Place } from './place.ts'
import { consume, readOnce } from './plain-consumer.ts'
import { runProduct, runProductPlain } from './product-engine.ts'
import { type PeerSwap, peerSwapSchema } from './swap-record.ts'
import { recordsOf, startAtMs } from './workload.ts'

const checkpointEveryMs = 1000

/** A type for large integers. avsc refuses a `long` above 2^53, but amounts in wei are larger. */
const bigLong = avsc.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(value)
    return bytes
  },
  fromJSON: BigInt,
  toJSON: Number,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (left: bigint, right: bigint) => (left < right ? -1 : Number(left > right)),
})

const wholeRecord = avsc.Type.forSchema({
  ...peerSwapSchema,
  fields: peerSwapSchema.fields.map((field) => (field.name === 'ethWei' ? { ...field, type: bigLong } : field)),
} as unknown as avsc.Schema)

const headerBytes = 5
const decode = (value: Buffer): PeerSwap => wholeRecord.decode(value, headerBytes).value

const runPlainLoop = (place: Place): Promise<void> => readOnce(place, decode)

/** Sends each swap on at once. */
async function runEcho(place: Place): Promise<void> {
  const kafka = new Kafka({ brokers: place.brokers.split(','), logLevel: logLevel.ERROR })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  await consume(place, async (values) => {
    const messages = values
      .map(decode)
      .filter(({ pool }) => pool !== tickKey)
      .map(({ pool, eventAtMs }) => ({ key: pool, value: JSON.stringify({ k: 'echo', pool, at: eventAtMs }) }))
    if (messages.length > 0) await producer.send({ topic: place.topicOut, messages, acks: 1 })
  })
}

/**
 * Writes the records of a workload to the topic, each at the time that the record states. The times are
 * counted from a start time, which is printed.
 */
async function runPacer({ brokers, topicIn, id }: Place): Promise<void> {
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.ERROR })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const baseMs = Date.now() + 500
  console.log(`BASE ${baseMs}`)
  let messages: Message[] = []
  // Only one request is sent at a time. With several requests, a later request could arrive first and change
  // the order.
  let sending: Promise<unknown> | null = null
  const send = () => {
    if (sending !== null || messages.length === 0) return
    sending = producer.send({ topic: topicIn, messages, acks: 1 }).finally(() => {
      sending = null
    })
    messages = []
  }
  for (const { atMs, partition, key, value } of recordsOf(JSON.parse(id))) {
    for (const dueAtMs = baseMs + atMs - startAtMs; dueAtMs > Date.now(); await delay(1)) send()
    messages.push({ partition, key, value })
  }
  for (; sending !== null || messages.length > 0; await sending) send()
  await producer.disconnect()
}

const engines: Readonly<Record<string, (place: Place) => Promise<void>>> = {
  // Our snapshots are as frequent as the checkpoints of the other engines.
  ours: (place) => runOurs(place, checkpointEveryMs),
  'ours-one': (place) => runOurs(place, checkpointEveryMs, 1),
  'ours-without': (place) => runOurs(place, Number.POSITIVE_INFINITY),
  product: (place) => runProduct(place, checkpointEveryMs),
  'product-without': (place) => runProduct(place, Number.POSITIVE_INFINITY),
  'product-plain': runProductPlain,
  plain: runPlainLoop,
  echo: runEcho,
  pacer: runPacer,
}

const [engine = '', brokers = '', topicIn = '', topicOut = '', id = ''] = process.argv.slice(2)
// The programs of the service have the same setting.
allocateYoung()
const run = engines[engine]
assert(run, `no engine is named ${engine}`)
await run({ brokers, topicIn, topicOut, id })
