/** Tests a cluster that requires a password and TLS. */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Check } from '../../../../infra/check.ts'
import { readConfig } from '../../../../infra/config.ts'
import { type LocalKafka, startKafka } from '../../../../infra/development/kafka/cluster.ts'
import { isOperationError } from '../../../../infra/errors.ts'
import { checkKafka } from '../../../../infra/log/kafka/check-kafka.ts'
import { createKafkaLog } from '../../../../infra/log/kafka/kafka-log.ts'
import { type KafkaSettings, kafkaSettings } from '../../../../infra/log/kafka/kafka-settings.ts'
import { sharePartitions } from '../../../../infra/log/kafka/share-partitions.ts'
import { topics } from '../../../../schemas/topics.ts'
import { silentLogger } from '../../../replay/stage-log.ts'

const jaas = (login: string) => `org.apache.kafka.common.security.plain.PlainLoginModule required ${login};`

/** The listener keeps the name `PLAINTEXT`, but uses another protocol. */
const settingsOf = (keystore: string) => ({
  'listener.security.protocol.map': 'PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT',
  'sasl.enabled.mechanisms': 'PLAIN',
  'sasl.mechanism.inter.broker.protocol': 'PLAIN',
  'listener.name.plaintext.plain.sasl.jaas.config': jaas(
    'username="broker" password="of-brokers" user_broker="of-brokers" user_launch="of-launch"',
  ),
  'ssl.keystore.location': keystore,
  'ssl.keystore.type': 'PKCS12',
  'ssl.keystore.password': 'changeit',
  'ssl.truststore.location': keystore,
  'ssl.truststore.type': 'PKCS12',
  'ssl.truststore.password': 'changeit',
})

function settingsOfCluster(environment: Record<string, string>): KafkaSettings {
  return kafkaSettings(readConfig(environment)) ?? expect.fail('no cluster is configured')
}

function makeCertificate(folder: string): Readonly<{ keystore: string; ca: string }> {
  const [keystore, ca] = [join(folder, 'broker.p12'), join(folder, 'ca.pem')]
  const store = ['-keystore', keystore, '-storetype', 'PKCS12', '-storepass', 'changeit', '-alias', 'broker']
  const of = ['-dname', 'CN=broker', '-ext', 'san=ip:127.0.0.1', '-keyalg', 'RSA', '-validity', '2']
  execFileSync('keytool', ['-genkeypair', ...store, ...of], { stdio: 'ignore' })
  execFileSync('keytool', ['-exportcert', '-rfc', '-file', ca, ...store], { stdio: 'ignore' })
  return { keystore, ca }
}

describe('a cluster with certificates and passwords', () => {
  let folder: string
  let kafka: LocalKafka
  let login: Record<string, string>
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'launch-data-security-'))
    const { keystore, ca } = makeCertificate(folder)
    kafka = await startKafka({ brokerSettings: settingsOf(keystore) })
    login = {
      KAFKA_BROKERS: kafka.brokers,
      SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1',
      KAFKA_SSL: 'true',
      KAFKA_SSL_CA_FILE: ca,
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: 'launch',
      KAFKA_SASL_PASSWORD: 'of-launch',
    }
  })
  after(async () => {
    await kafka?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const connectionOf = (environment: Record<string, string>) => {
    const { brokers, topicPrefix, security } = settingsOfCluster(environment)
    return { brokers, security, ...(topicPrefix === undefined ? {} : { topicPrefix }) }
  }
  const openAs = (environment: Record<string, string>) =>
    createKafkaLog({ ...connectionOf(environment), nowMs: Date.now, logger: silentLogger })
  const codeOf = async (environment: Record<string, string>) => {
    try {
      await (await openAs(environment)).close()
      return 'opened'
    } catch (error) {
      return isOperationError(error) ? error.code : String(error)
    }
  }
  const doctorSays = async (environment: Record<string, string>): Promise<readonly Check[]> =>
    Promise.all(checkKafka(settingsOfCluster(environment)))

  it('accepts the log, its writers and its workers with the configured security', async () => {
    const log = await openAs(login)
    const writer = await log.openWriter('w')
    const record = { topic: 'chain-a-facts', partition: 0, key: 'k', value: Buffer.from('v') } as const
    await writer.append([record])
    const [batch] = await log.read({ ...record, offset: 0 })
    expect(batch?.valueAt(0)?.toString()).to.equal('v')
    await writer.close()
    await log.close()
    const stop = new AbortController()
    let shared: readonly number[] = []
    await sharePartitions({
      connection: connectionOf(login),
      groupId: 'g',
      topic: topics['chain-a-facts'],
      sessionMs: 6000,
      signal: stop.signal,
      logger: silentLogger,
      work: async (partitions) => {
        shared = partitions
        stop.abort()
      },
    })
    expect(shared).to.deep.equal([0, 1, 2, 3])
    for (const { name, state, says } of await doctorSays(login)) expect(state, `${name}: ${says}`).to.equal('ok')
  })

  it('refuses a wrong password, and the doctor reports it', async () => {
    const wrong = { ...login, KAFKA_SASL_PASSWORD: 'guessed' }
    expect(await codeOf(wrong)).to.be.oneOf(['log_failed', 'log_unavailable'])
    const [broker] = await doctorSays(wrong)
    expect(broker?.says)
      .to.match(/authenticat/i)
      .and.not.contain('guessed')
  })

  it('is not trusted without its certificate, and is not reached without TLS', async () => {
    const { KAFKA_SSL_CA_FILE: _, ...unknown } = login
    expect(await codeOf(unknown)).to.equal('log_unavailable')
    expect(await codeOf({ ...login, KAFKA_SSL: 'false' })).to.equal('log_unavailable')
  })
})
