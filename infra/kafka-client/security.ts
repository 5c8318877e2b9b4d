/** Encryption and authentication of the connections to a cluster, as kafkajs takes them. */
import type { KafkaConfig } from 'kafkajs'

/**
 * With `ssl`, connections are encrypted, and the brokers' certificates are checked against the system's, or against
 * `ca` (PEM).
 */
export type KafkaSecurity = Readonly<{
  ssl?: Readonly<{ ca?: string }>
  sasl?: Readonly<{
    mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
    username: string
    password: string
  }>
}>

/** Options of a `Kafka` client or of a connection. */
export function clientSecurity({ ssl, sasl }: KafkaSecurity = {}): Pick<KafkaConfig, 'ssl' | 'sasl'> {
  return {
    ...(ssl && { ssl: ssl.ca === undefined ? {} : { ca: [ssl.ca] } }),
    ...(sasl && { sasl: { ...sasl } as NonNullable<KafkaConfig['sasl']> }),
  }
}
