/**
 * The checks of a Kafka cluster by `launch-data doctor`: its brokers answer, and its topics are as the
 * service declares them.
 */
import type { Admin, ConfigResourceTypes } from 'kafkajs'
import { type Topic, topics } from '../../../schemas/topics.ts'
import { answerMsMax, type Check, examine, listed, ok, wrong } from '../../check.ts'
import { openAdmin } from '../../kafka-client/open-admin.ts'
import { configOf } from './create-topics.ts'
import { clearPasswordText, clearPasswordToDo, type KafkaSettings, sendsPasswordInClear } from './kafka-settings.ts'

type CheckedCluster = Pick<KafkaSettings, 'brokers' | 'security'> & Partial<Pick<KafkaSettings, 'topicPrefix'>>

/** `open` opens the connection of an administrator. */
type Cluster = CheckedCluster & Readonly<{ open: typeof openAdmin }>

export function checkKafka(settings: CheckedCluster, open = openAdmin): readonly Promise<Check>[] {
  const cluster = { ...settings, open }
  return [
    ...cluster.brokers.map((address) => checkBroker(address, cluster)),
    ...(sendsPasswordInClear(cluster.security) ? [Promise.resolve(clearPassword)] : []),
    checkTopics(cluster),
  ]
}

const clearPassword = wrong('broker login', clearPasswordText, clearPasswordToDo)

/**
 * Checks one of the configured brokers. A program runs if at least one broker answers. So a running program
 * does not prove that every broker runs.
 */
function checkBroker(address: string, { security, open }: Cluster): Promise<Check> {
  const name = 'broker'
  const toDo = 'start the broker, or correct KAFKA_BROKERS. "npm run kafka:up" starts a broker on this machine'
  return examine({ name, where: address, toDo }, () =>
    withAdmin({ brokers: [address], security, open }, async (admin) => {
      const { brokers, clusterId } = await admin.describeCluster()
      const names = listed(brokers.map(({ host, port }) => `${host}:${port}`))
      return ok(name, `${address}: cluster ${clusterId}, ${counted(brokers.length, 'broker')} (${names})`)
    }),
  )
}

/** Missing topics are not an error: the first program that opens the log creates them. */
function checkTopics({ brokers, topicPrefix: prefix = '', security, open }: Cluster): Promise<Check> {
  const name = 'topics'
  return examine({ name, where: listed(brokers), toDo: 'start the brokers' }, () =>
    withAdmin({ brokers, security, open }, async (admin) => {
      const existing = new Set(await admin.listTopics())
      const declared = Object.values(topics)
      const present = declared.filter((topic) => existing.has(prefix + topic.name))
      const faults = await faultsOf(admin, present, prefix)
      if (faults.length > 0)
        return wrong(
          name,
          faults.join('; '),
          'change the settings of the topic. If the number of partitions differs, choose another KAFKA_TOPIC_PREFIX',
        )
      if (present.length === 0) return ok(name, 'none exists yet: the first program that starts creates them')
      const missing = declared.filter((topic) => !present.includes(topic)).map((topic) => prefix + topic.name)
      const made = missing.length > 0 ? `; the first program that starts creates ${listed(missing)}` : ''
      return ok(name, `${present.length} of ${declared.length} exist, as declared${made}`)
    }),
  )
}

/** The value of an enum that kafkajs does not export by name. */
const topicResource: ConfigResourceTypes.TOPIC = 2

/** The topic settings that the doctor checks. A different value can lose data or stop appends. */
const checkedSettings = new Set(['cleanup.policy', 'retention.ms', 'retention.bytes', 'max.message.bytes'])

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
        : [`${name} has ${counted(partitions.length, 'partition')} instead of ${topic.partitionCount}`]),
      ...(leaderless.length === 0 ? [] : [`${name} has no leader for partition ${listed(leaderless)}`]),
      ...configOf(topic)
        .filter((entry) => checkedSettings.has(entry.name) && values.get(entry.name) !== entry.value)
        .map((entry) => `${name}: ${entry.name} is ${values.get(entry.name)} instead of ${entry.value}`),
    ]
  })
}

async function withAdmin<Result>(
  { brokers, security, open }: Omit<Cluster, 'topicPrefix'>,
  use: (admin: Admin) => Promise<Result>,
): Promise<Result> {
  const admin = open({
    ...{ brokers, security, clientId: 'launch-data-doctor', retry: { retries: 0 } },
    ...{ connectionTimeout: answerMsMax / 2, requestTimeout: answerMsMax / 2 },
  })
  try {
    await admin.connect()
    return await use(admin)
  } finally {
    await admin.disconnect().catch(() => {})
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
