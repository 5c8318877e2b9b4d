import type { Address } from './kafkajs-parts.ts'

/** Splits `host:port` at the last colon: an IPv6 address has more than one. */
export function addressOf(broker: string): Address {
  const at = broker.lastIndexOf(':')
  return { host: broker.slice(0, at), port: Number(broker.slice(at + 1)) }
}
