/** The public `Admin` of kafkajs. Its connections turn malformed answers into connection failures. */
import { type Admin, Kafka, type KafkaConfig, logLevel } from 'kafkajs'
import { patchKafkajs } from './kafkajs-parts.ts'
import { clientSecurity, type KafkaSecurity } from './security.ts'

type AdminSettings = Omit<KafkaConfig, 'brokers' | 'ssl' | 'sasl' | 'logLevel'> &
  Readonly<{ brokers: readonly string[]; security: KafkaSecurity | undefined }>

export function openAdmin({ brokers, security, ...rest }: AdminSettings): Admin {
  patchKafkajs()
  const config = { ...rest, brokers: [...brokers], logLevel: logLevel.NOTHING, ...clientSecurity(security) }
  return new Kafka(config).admin()
}
