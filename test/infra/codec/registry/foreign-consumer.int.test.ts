import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import { createConfluentRegistry } from '../../../../infra/codec/registry/confluent-registry.ts'
import { createSchemaCodec, type DecodedRecord, type SchemaCodec } from '../../../../infra/codec/schema-codec.ts'
import { type LocalKafka, startKafka } from '../../../../infra/development/kafka/cluster.ts'
import { createKafkaLog } from '../../../../infra/log/kafka/kafka-log.ts'
import type { Log, NewRecord } from '../../../../infra/log/log.ts'
import { readAll } from '../../../../infra/log/read-back.ts'
import { createLogger } from '../../../../infra/telemetry.ts'
import { type AvroField, hex, integer } from '../../../../schemas/avro.ts'
import { type Topic, topics } from '../../../../schemas/topics.ts'
import { type RunningProgram, startProgram } from '../../../support/programs.ts'
import { readTopic } from './foreign-reader.ts'

const logger = createLogger('test', 'silent')
const readable = Object.values(topics).filter(({ schemas }) => schemas !== null)

/** A record as read through our log. */
type OurRecord = Readonly<{ key: string; value: DecodedRecord | null }>

describe('a foreign consumer', () => {
  let kafka: LocalKafka
  let dataDir: string
  const opened: Log[] = []
  const running: RunningProgram[] = []
  const cluster = () => ({ brokers: kafka.brokers, registryUrl: kafka.registryUrl ?? '' })

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'foreign-'))
    kafka = await startKafka({ withRegistry: true })
  })
  after(async () => {
    await kafka?.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  afterEach(async () => {
    for (const program of running) program.kill('SIGKILL')
    await Promise.all(running.splice(0).map(({ done }) => done))
    for (const log of opened.splice(0)) await log.close()
  })

  const open = async (topicPrefix: string) => {
    const log = await createKafkaLog({ brokers: [kafka.brokers], nowMs: Date.now, logger, topicPrefix })
    opened.push(log)
    const registry = await createConfluentRegistry({ url: cluster().registryUrl, topicPrefix })
    const codecOf = (topic: Topic) => createSchemaCodec(topic, registry)
    return { log, codecOf }
  }

  /**
   * Expects that the foreign consumer reads the same values from each topic as our code. Returns the names of
   * the records that it read.
   */
  async function expectSame(topicPrefix: string): Promise<ReadonlySet<string>> {
    const { log, codecOf } = await open(topicPrefix)
    const names = new Set<string>()
    for (const topic of readable) {
      const codec = await codecOf(topic)
      const ours = await readOurs(log, codec, topic)
      const counts = ours.map(({ length }) => length)
      const theirs = await readTopic(cluster(), topicPrefix + topic.name, counts)
      ours.forEach((records, partition) => {
        const found = theirs[partition] ?? []
        expect(found.map(({ key }) => key)).to.deep.equal(records.map(({ key }) => key))
        records.forEach(({ value }, index) => {
          if (value !== null) names.add(value.type)
          const schema = topic.schemas?.[value?.type ?? '']
          const theirs = found[index]?.value ?? null
          expect(schema && theirs ? inOurWords(schema, theirs) : theirs, topic.name).to.deep.equal(
            plain(value?.data ?? null),
          )
        })
      })
    }
    return names
  }

  it('reads every record type, with any values', async () => {
    const { log, codecOf } = await open('kinds.')
    const writer = await log.openWriter('w')
    for (const topic of readable) {
      const codec = await codecOf(topic)
      const records = Object.entries(topic.schemas ?? {}).flatMap(([name, schema]) =>
        fc.sample(anyOf(schema), 20).map((data, index): NewRecord => {
          const value = codec.encode(name, data as object)
          return { topic: topic.name, partition: index % topic.partitionCount, key: `${name} ${index}`, value }
        }),
      )
      const [first] = records
      await writer.append(topic.isCompacted && first ? [...records, { ...first, value: null }] : records)
    }
    const names = await expectSame('kinds.')
    expect(names.size).to.equal(new Set(readable.flatMap(({ schemas }) => Object.keys(schemas ?? {}))).size)
  })

  /** Waits until the log has this many derived records. */
  async function untilDerived(topicPrefix: string, count: number): Promise<void> {
    const { log } = await open(topicPrefix)
    for (let found = 0; found < count; await sleep(500)) {
      const bounds = [0, 1, 2, 3].map((partition) => log.bounds('chain-a-derived', partition))
      found = (await Promise.all(bounds)).reduce((sum, { endOffset }) => sum + endOffset, 0)
    }
  }

  it('reads the records that the programs write', async () => {
    const environment = {
      DATA_DIR: dataDir,
      KAFKA_BROKERS: kafka.brokers,
      SCHEMA_REGISTRY_URL: cluster().registryUrl,
      KAFKA_TOPIC_PREFIX: 'programs.',
      SIMULATOR_LOOK_BACK_HOURS: '1',
    }
    running.push(startProgram('ingest', environment), startProgram('process', environment))
    await untilDerived('programs.', 2000)
    for (const program of running) program.kill('SIGKILL')
    await Promise.all(running.map(({ done }) => done))
    const names = await expectSame('programs.')
    expect([...names]).to.include.members(['Swap', 'Tick', 'PoolAddress', 'PoolOpened', 'PoolMinute', 'Burst'])
  })
})

async function readOurs(log: Log, codec: SchemaCodec, { name, partitionCount }: Topic): Promise<OurRecord[][]> {
  const partitions: OurRecord[][] = []
  for (let partition = 0; partition < partitionCount; partition++) {
    const records: OurRecord[] = []
    for await (const batch of readAll(log, { topic: name, partition }))
      for (let index = 0; index < batch.count; index++) {
        const value = batch.valueAt(index)
        records.push({ key: batch.keyAt(index), value: value === null ? null : codec.decode(value) })
      }
    partitions.push(records)
  }
  return partitions
}

/** Replaces the instances of Avro's classes by plain objects. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]))
}

/**
 * Converts a value to the types of our code. Other clients do not know our logical types for bytes, which are
 * hex strings and exact integers.
 */
function inOurWords(schema: unknown, value: unknown): unknown {
  if (schema === hex) return `0x${(value as Buffer).toString('hex')}`
  if (schema === integer) return signed(value as Buffer)
  if (Array.isArray(schema)) return value === null ? null : inOurWords(schema[1], value)
  const { type, items, fields } = schema as { type?: string; items?: unknown; fields?: readonly AvroField[] }
  if (type === 'array') return (value as unknown[]).map((item) => inOurWords(items, item))
  if (type !== 'record') return value
  const parts = value as Record<string, unknown>
  return Object.fromEntries((fields ?? []).map((field) => [field.name, inOurWords(field.type, parts[field.name])]))
}

const signed = (bytes: Buffer): bigint => BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`))

const primitives: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  boolean: fc.boolean(),
  int: fc.integer(),
  // The largest integer that avsc reads.
  long: fc.integer({ min: -(2 ** 52) + 1, max: 2 ** 52 - 1 }),
  double: fc.double({ noNaN: true }),
  string: fc.string({ unit: 'grapheme' }),
}

/** Generates any value that the schema allows, in the types of our code. */
function anyOf(schema: unknown): fc.Arbitrary<unknown> {
  if (typeof schema === 'string') return primitives[schema] ?? fc.constant(null)
  if (schema === hex) return fc.uint8Array({ maxLength: 40 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
  if (schema === integer) return fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n })
  if (Array.isArray(schema)) return fc.option(anyOf(schema[1]))
  const { type, items, symbols, fields } = schema as {
    type: string
    items?: unknown
    symbols?: readonly string[]
    fields?: readonly AvroField[]
  }
  if (type === 'array') return fc.array(anyOf(items), { maxLength: 4 })
  if (type === 'enum') return fc.constantFrom(...(symbols ?? []))
  return fc.record(Object.fromEntries((fields ?? []).map((field) => [field.name, anyOf(field.type)])))
}
