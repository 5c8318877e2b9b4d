/** The cluster that holds the log: its brokers, and the topics on it against those of the topic table. */
import { type Admin, type ConfigResourceTypes, Kafka, logLevel } from 'kafkajs'
import { type Topic, topics } from '../../../schemas/topics.ts'
import { answerMsMax, type Check, examine, listed, ok, wrong } from '../../check.ts'
import type { Config } from '../../config.ts'
import { clientSecurity, type KafkaSecurity } from '../../kafka-client/security.ts'
import { clearPasswordText, kafkaSecurity, sendsPasswordInClear } from '../../log/kafka/configured-security.ts'
import { configOf } from '../../log/kafka/create-topics.ts'

type Cluster = Readonly<{ brokers: readonly string[]; prefix: string; security: KafkaSecurity }>

/** Empty: the log is the embedded one. */
export function checkKafka(config: Config): readonly Promise<Check>[] {
  const { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: prefix = '' } = config
  if (brokers === undefined) return []
  const cluster = { brokers, prefix, security: kafkaSecurity(config) }
  return [
    ...brokers.map((address) => checkBroker(address, cluster)),
    ...(sendsPasswordInClear(config) ? [Promise.resolve(clearPassword)] : []),
    checkTopics(cluster),
  ]
}

const clearPassword = wrong(
  'broker login',
  clearPasswordText,
  'set KAFKA_SSL=true, or a scram mechanism; the brokers must offer it',
)

/** Each that is named: one that is left is enough to run, and hides that another is gone. */
function checkBroker(address: string, { security }: Cluster): Promise<Check> {
  const name = 'broker'
  const toDo = 'start it, or correct KAFKA_BROKERS; "npm run kafka:up" starts one on this machine'
  return examine({ name, where: address, toDo }, () =>
    withAdmin({ brokers: [address], security }, async (admin) => {
      const { brokers, clusterId } = await admin.describeCluster()
      const names = listed(brokers.map(({ host, port }) => `${host}:${port}`))
      return ok(name, `${address}: cluster ${clusterId}, ${counted(brokers.length, 'broker')} (${names})`)
    }),
  )
}

/** What is missing is made by whoever opens the log first; what is there stays as somebody set it up. */
function checkTopics({ brokers, prefix, security }: Cluster): Promise<Check> {
  const name = 'topics'
  return examine({ name, where: listed(brokers), toDo: 'bring the brokers up first' }, () =>
    withAdmin({ brokers, security }, async (admin) => {
      const existing = new Set(await admin.listTopics())
      const declared = Object.values(topics)
      const present = declared.filter((topic) => existing.has(prefix + topic.name))
      const faults = await faultsOf(admin, present, prefix)
      if (faults.length > 0)
        return wrong(
          name,
          faults.join('; '),
          'set the topic up as said; the number of partitions cannot be changed, only another KAFKA_TOPIC_PREFIX chosen',
        )
      if (present.length === 0) return ok(name, 'none is there yet: the first program that starts makes them')
      const missing = declared.filter((topic) => !present.includes(topic)).map((topic) => prefix + topic.name)
      const made = missing.length > 0 ? `; the first program that starts makes ${listed(missing)}` : ''
      return ok(name, `${present.length} of ${declared.length} are there, as declared${made}`)
    }),
  )
}

/** The client's own word for it is an enum that its module does not export by name. */
const topicResource: ConfigResourceTypes.TOPIC = 2

/** Of its settings those that lose or hold up data where they differ. */
const mattering = new Set(['cleanup.policy', 'retention.ms', 'retention.bytes', 'max.message.bytes'])

async function faultsOf(admin: Admin, present: readonly Topic[], prefix: string): Promise<readonly string[]> {
  if (present.length === 0) return []
  const names = present.map((topic) => prefix + topic.name)
  const metadata = await admin.fetchTopicMetadata({ topics: names })
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type: topicResource, name })),
  })
  return present.flatMap((topic) => {
    const name = prefix + topic.name
    const partitions = metadata.topics.find((found) => found.name === name)?.partitions ?? []
    const entries = resources.find((found) => found.resourceName === name)?.configEntries ?? []
    const values = new Map(entries.map(({ configName, configValue }) => [configName, configValue]))
    const leaderless = partitions.filter(({ leader }) => leader < 0).map(({ partitionId }) => String(partitionId))
    return [
      ...(partitions.length === topic.partitionCount
        ? []
        : [`${name} has ${counted(partitions.length, 'partition')}, not ${topic.partitionCount}`]),
      ...(leaderless.length === 0 ? [] : [`${name} has no leader for partition ${listed(leaderless)}`]),
      ...configOf(topic)
        .filter((entry) => mattering.has(entry.name) && values.get(entry.name) !== entry.value)
        .map((entry) => `${name}: ${entry.name} is ${values.get(entry.name)}, not ${entry.value}`),
    ]
  })
}

async function withAdmin<Result>(
  { brokers, security }: Omit<Cluster, 'prefix'>,
  use: (admin: Admin) => Promise<Result>,
): Promise<Result> {
  const kafka = new Kafka({
    brokers: [...brokers],
    clientId: 'launch-data-doctor',
    logLevel: logLevel.NOTHING,
    connectionTimeout: answerMsMax / 2,
    requestTimeout: answerMsMax / 2,
    retry: { retries: 0 },
    ...clientSecurity(security),
  })
  const admin = kafka.admin()
  try {
    await admin.connect()
    return await use(admin)
  } finally {
    await admin.disconnect().catch(() => {})
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
