/** How a client shows a cluster who it is, and how it knows the cluster: handed on to kafkajs as it takes it. */
import type { KafkaConfig } from 'kafkajs'

/** `ssl`: encrypted, the brokers' certificates held against those of the system, or against `ca` (PEM). */
export type KafkaSecurity = Readonly<{
  ssl?: Readonly<{ ca?: string }>
  sasl?: Readonly<{
    mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
    username: string
    password: string
  }>
}>

/** As the options of a client or of a connection. */
export function clientSecurity({ ssl, sasl }: KafkaSecurity = {}): Pick<KafkaConfig, 'ssl' | 'sasl'> {
  return {
    ...(ssl && { ssl: ssl.ca === undefined ? {} : { ca: [ssl.ca] } }),
    ...(sasl && { sasl: { ...sasl } as NonNullable<KafkaConfig['sasl']> }),
  }
}
