/** Encryption and authentication of the connections to a cluster, in the form that kafkajs takes. */
import type { KafkaConfig } from 'kafkajs'

/**
 * If `ssl` is set, connections are encrypted. The certificates of the brokers are checked against the system's
 * certificates, or against `ca` (PEM).
 */
export type KafkaSecurity = Readonly<{
  ssl?: Readonly<{ ca?: string }>
  sasl?: Readonly<{
    mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
    username: string
    password: string
  }>
}>

/** The options for a `Kafka` client or for a connection of kafkajs. */
export function clientSecurity({ ssl, sasl }: KafkaSecurity = {}): Pick<KafkaConfig, 'ssl' | 'sasl'> {
  return {
    ...(ssl && { ssl: ssl.ca === undefined ? {} : { ca: [ssl.ca] } }),
    ...(sasl && { sasl: { ...sasl } as NonNullable<KafkaConfig['sasl']> }),
  }
}
