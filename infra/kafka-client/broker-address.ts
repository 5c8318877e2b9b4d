import type { Address } from './kafkajs-parts.ts'

/** Of `host:port`. An IPv6 address has more than one colon: the last one counts. */
export function addressOf(broker: string): Address {
  const at = broker.lastIndexOf(':')
  return { host: broker.slice(0, at), port: Number(broker.slice(at + 1)) }
}
