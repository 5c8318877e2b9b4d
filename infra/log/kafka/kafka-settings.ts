/** The settings of the log's Kafka cluster, from the configuration. */
import { readFileSync } from 'node:fs'
import type { DurationMs } from '../../../schemas/units.ts'
import type { Config } from '../../config.ts'
import { OperationError } from '../../errors.ts'
import type { KafkaSecurity } from '../../kafka-client/security.ts'

export type KafkaSettings = Readonly<{
  brokers: readonly string[]
  registryUrl: string
  topicPrefix: string | undefined
  replicationFactor: number | undefined
  sessionMs: DurationMs
  security: KafkaSecurity
}>

/**
 * The settings, or null if the log is not on Kafka. Fails with `config_invalid` if the certificate file cannot be read.
 */
export function kafkaSettings(config: Config): KafkaSettings | null {
  const { KAFKA_BROKERS: brokers, SCHEMA_REGISTRY_URL: registryUrl } = config
  if (brokers === undefined || registryUrl === undefined) return null
  return {
    brokers,
    registryUrl,
    topicPrefix: config.KAFKA_TOPIC_PREFIX,
    replicationFactor: config.KAFKA_REPLICATION_FACTOR,
    sessionMs: config.KAFKA_SESSION_MS,
    security: securityOf(config),
  }
}

export const clearPasswordText =
  'the service sends KAFKA_SASL_PASSWORD to the brokers without encryption, because KAFKA_SASL_MECHANISM is plain and KAFKA_SSL is not true'

export const clearPasswordToDo =
  'set KAFKA_SSL=true, or set KAFKA_SASL_MECHANISM to a scram mechanism. The brokers must support the choice'

/**
 * Whether the password is sent without encryption. This is the case for the mechanism PLAIN without TLS.
 * SCRAM sends only a proof that the client knows the password.
 */
export const sendsPasswordInClear = ({ sasl, ssl }: KafkaSecurity): boolean =>
  sasl?.mechanism === 'plain' && ssl === undefined

function securityOf(config: Config): KafkaSecurity {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = config
  const isLogin = mechanism !== undefined && username !== undefined && password !== undefined
  return {
    ...(config.KAFKA_SSL === true && { ssl: trusted(config.KAFKA_SSL_CA_FILE) }),
    ...(isLogin && { sasl: { mechanism, username, password } }),
  }
}

function trusted(file: string | undefined): Readonly<{ ca?: string }> {
  if (file === undefined) return {}
  try {
    return { ca: readFileSync(file, 'utf8') }
  } catch (cause) {
    throw new OperationError(
      'config_invalid',
      `KAFKA_SSL_CA_FILE names ${file}, which cannot be read. Correct the path, or the permissions of the file`,
      { cause },
    )
  }
}
