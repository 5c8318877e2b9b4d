import { expect } from 'chai'
import { isOk } from '../../../../infra/check.ts'
import { checkKafka } from '../../../../infra/log/kafka/check-kafka.ts'
import { createTopics } from '../../../../infra/log/kafka/create-topics.ts'
import { topics as topicTable } from '../../../../schemas/topics.ts'
import { createClusterDouble } from '../../../support/log/admin-double.ts'

const declared = Object.values(topicTable)
const brokers = ['a:9092', 'b:9092']
const security = { ssl: {}, sasl: { mechanism: 'scram-sha-512', username: 'u', password: 'p' } } as const

const settings = { brokers, clientId: 'c', topicPrefix: 'pre.', topicTable, replicationFactor: 3, security }
const namesOf = (created: readonly Readonly<{ topic: string }>[]) => created.map(({ topic }) => topic)

describe('the topics of a cluster', () => {
  it('are created where they are missing, with their partitions, copies and settings', async () => {
    const cluster = createClusterDouble()
    await createTopics(settings, cluster.open)
    expect(namesOf(cluster.created)).to.deep.equal(declared.map(({ name }) => `pre.${name}`))
    for (const [index, { partitionCount, isCompacted }] of declared.entries()) {
      const { numPartitions, replicationFactor, configEntries } = cluster.created[index] ?? expect.fail()
      expect({ numPartitions, replicationFactor }).to.deep.equal({
        numPartitions: partitionCount,
        replicationFactor: 3,
      })
      expect(Object.fromEntries((configEntries ?? []).map(({ name, value }) => [name, value]))).to.deep.equal({
        'cleanup.policy': isCompacted ? 'compact' : 'delete',
        ...{ 'retention.ms': '-1', 'retention.bytes': '-1', 'max.message.bytes': '1115135' },
        ...{ 'message.timestamp.type': 'CreateTime', 'message.timestamp.after.max.ms': '9223372036854775807' },
        ...{ 'compression.type': 'producer' },
        ...(isCompacted ? { 'segment.bytes': '67108864', 'min.cleanable.dirty.ratio': '0.2' } : {}),
      })
    }
    const [opened] = cluster.opened
    expect({ ...opened, brokers: [...(opened?.brokers ?? [])] }).to.deep.equal({
      ...{ brokers, clientId: 'c', security },
      ...{ connectionTimeout: 2_000, requestTimeout: 10_000, retry: { retries: 3 } },
    })
    expect(cluster.connected()).to.equal(0)
  })

  it('stay as they are where they exist', async () => {
    const cluster = createClusterDouble()
    const [first, second] = declared
    cluster.topics.set(`pre.${first?.name}`, { leaders: Array(first?.partitionCount ?? 0).fill(1), config: {} })
    // Without the prefix, the topic belongs to another service.
    cluster.topics.set(`${second?.name}`, { leaders: [1], config: {} })
    await createTopics(settings, cluster.open)
    expect(namesOf(cluster.created)).to.deep.equal(declared.slice(1).map(({ name }) => `pre.${name}`))
    await createTopics(settings, cluster.open)
    expect(cluster.created).to.have.length(declared.length - 1)
  })

  it('are refused with another number of partitions, and the connection ends', async () => {
    const cluster = createClusterDouble()
    const [first] = declared
    const found = (first?.partitionCount ?? 0) + 1
    cluster.topics.set(`pre.${first?.name}`, { leaders: Array(found).fill(1), config: {} })
    const error = await createTopics(settings, cluster.open).catch((failure) => failure)
    expect(error).to.include({ code: 'partition_count_changed' })
    expect(error.context).to.deep.equal({ topic: `pre.${first?.name}`, declared: first?.partitionCount, found })
    expect(error.message).to.contain(`topic pre.${first?.name} has ${found} partitions`)
    expect(cluster.connected()).to.equal(0)
  })
})

describe('the check of a cluster by the doctor', () => {
  const check = (cluster: ReturnType<typeof createClusterDouble>, topicPrefix: string | undefined = 'pre.') =>
    Promise.all(checkKafka({ brokers, topicPrefix, security }, cluster.open))

  it('asks each configured broker alone, and all of them about the topics', async () => {
    const cluster = createClusterDouble()
    const checks = await check(cluster)
    const brokerCheck = (address: string) => `${address}: cluster c1, 2 brokers (broker-1:9092, broker-2:9092)`
    expect(checks.map(({ says }) => says)).to.deep.equal([
      ...brokers.map(brokerCheck),
      'none exists yet: the first program that starts creates them',
    ])
    expect(checks.every(isOk)).to.equal(true)
    expect(cluster.opened.map((opened) => [...opened.brokers])).to.deep.equal([['a:9092'], ['b:9092'], brokers])
    for (const opened of cluster.opened)
      expect(opened).to.deep.include({
        ...{ security, clientId: 'launch-data-doctor', retry: { retries: 0 } },
        ...{ connectionTimeout: 2_500, requestTimeout: 2_500 },
      })
    expect(cluster.connected()).to.equal(0)
  })

  it('counts the topics that exist as declared, and names those to come', async () => {
    const cluster = createClusterDouble()
    await createTopics(settings, cluster.open)
    const all = (await check(cluster)).at(-1)
    expect(all).to.deep.include({ state: 'ok', says: `${declared.length} of ${declared.length} exist, as declared` })
    const [first] = declared
    cluster.topics.delete(`pre.${first?.name}`)
    const [last] = (await check(cluster)).slice(-1)
    expect(last).to.deep.include({
      state: 'ok',
      says: `${declared.length - 1} of ${declared.length} exist, as declared; the first program that starts creates pre.${first?.name}`,
    })
  })

  it('finds topics without a prefix', async () => {
    const cluster = createClusterDouble()
    await createTopics({ ...settings, topicPrefix: '' }, cluster.open)
    const checks = await Promise.all(checkKafka({ brokers, security }, cluster.open))
    expect(checks.at(-1)?.says).to.equal(`${declared.length} of ${declared.length} exist, as declared`)
  })

  const change =
    (edit: (topic: { leaders: readonly number[]; config: Record<string, string> }) => void) => async () => {
      const cluster = createClusterDouble()
      await createTopics(settings, cluster.open)
      const topic = cluster.topics.get(`pre.${declared[0]?.name}`) ?? expect.fail()
      edit(topic)
      const found = (await check(cluster)).at(-1)
      return { state: found?.state, says: found?.says.replace(`pre.${declared[0]?.name}`, 'T'), toDo: found?.toDo }
    }
  const toDo =
    'change the settings of the topic. If the number of partitions differs, choose another KAFKA_TOPIC_PREFIX'
  const count = declared[0]?.partitionCount ?? 0
  const faults: readonly (readonly [string, ReturnType<typeof change>, string])[] = [
    [
      'one partition',
      change((topic) => Object.assign(topic, { leaders: [1] })),
      `T has 1 partition instead of ${count}`,
    ],
    [
      'too many partitions',
      change((topic) => Object.assign(topic, { leaders: Array(count + 1).fill(1) })),
      `T has ${count + 1} partitions instead of ${count}`,
    ],
    [
      'partitions without a leader',
      change((topic) => Object.assign(topic, { leaders: topic.leaders.map((leader, at) => (at < 2 ? -1 : leader)) })),
      'T has no leader for partition 0, 1',
    ],
    ...['cleanup.policy', 'retention.ms', 'retention.bytes', 'max.message.bytes'].map((name) => {
      const declaredValue = { 'cleanup.policy': 'delete', 'max.message.bytes': '1115135' }[name] ?? '-1'
      return [
        `another ${name}`,
        change(({ config }) => Object.assign(config, { [name]: '7' })),
        `T: ${name} is 7 instead of ${declaredValue}`,
      ] as const
    }),
  ]
  for (const [name, run, says] of faults)
    it(`refuses a topic with ${name}`, async () => {
      expect(await run()).to.deep.equal({ state: 'wrong', says, toDo })
    })

  it('accepts another value of a setting that cannot lose data', async () => {
    expect(await change(({ config }) => Object.assign(config, { 'compression.type': 'zstd' }))()).to.include({
      state: 'ok',
    })
  })

  it('says what failed and what to do, and ends its connections', async () => {
    const cluster = createClusterDouble({ failure: new TypeError('the broker is tired') })
    const checks = await check(cluster)
    expect(checks.map(({ name, state, says }) => ({ name, state, says }))).to.deep.equal([
      ...brokers.map((address) => ({ name: 'broker', state: 'wrong', says: `${address}: the broker is tired` })),
      { name: 'topics', state: 'wrong', says: 'a:9092, b:9092: the broker is tired' },
    ])
    expect(checks.map((each) => each.toDo?.slice(0, 16))).to.deep.equal([
      ...['start the broker', 'start the broker', 'start the broker'],
    ])
    expect(cluster.connected()).to.equal(0)
  })
})
