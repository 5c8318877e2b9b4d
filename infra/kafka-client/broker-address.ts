import type { Address } from './kafkajs-parts.ts'

/** Splits `host:port` at the last colon, because an IPv6 address contains several colons. */
export function addressOf(broker: string): Address {
  const at = broker.lastIndexOf(':')
  return { host: broker.slice(0, at), port: Number(broker.slice(at + 1)) }
}
