import { readFileSync } from 'node:fs'
import type { AbiEvent } from 'viem'
import { encodeAbiParameters, encodeEventTopics } from 'viem'
import type { RawLog } from '../../../ingest/chain-a/decode/log-words.ts'
import type { PoolAddress } from '../../../schemas/chain-a/addresses.ts'
import type { Hex } from '../../../schemas/units.ts'

export const hashOf = (digits: string): Hex => `0x${digits.repeat(64).slice(0, 64)}`
export const addressOfDigits = (digits: string): Hex => `0x${digits.repeat(40).slice(0, 40)}`

/**
 * Reads logs that were recorded from public nodes. The recorded day of mainnet has no block hashes, so each
 * hash is made from the block's number.
 */
export function readRecorded(name: string): RawLog[] {
  const path = new URL(`../../fixtures/chain-a-logs/${name}.json`, import.meta.url)
  const { logs } = JSON.parse(readFileSync(path, 'utf8')) as { logs: RawLog[] }
  return logs.map((log) => ({
    ...log,
    blockHash: log.blockHash ?? (`0x${log.blockNumber.slice(2).padStart(64, '0')}` as Hex),
  }))
}

/** Returns the log of an event. viem encodes the log, without code of the tested decoder. */
export function buildLog(
  event: AbiEvent,
  args: Record<string, unknown>,
  place: Partial<RawLog> & Pick<RawLog, 'address'>,
): RawLog {
  const plain = event.inputs.filter((input) => !input.indexed)
  return {
    topics: encodeEventTopics({ abi: [event], args }) as Hex[],
    data: encodeAbiParameters(
      plain,
      plain.map((input) => args[input.name ?? '']),
    ),
    blockNumber: '0x64',
    blockHash: hashOf('b'),
    transactionHash: hashOf('a'),
    transactionIndex: '0x1',
    logIndex: '0x2',
    blockTimestamp: '0x65000000',
    ...place,
  }
}

export const buildPool = (overrides: Partial<PoolAddress> = {}): PoolAddress => ({
  pool: hashOf('1'),
  token: addressOfDigits('7'),
  dex: 'v4',
  ethIsCurrency0: true,
  hooks: null,
  createdBlock: 1,
  createdAtMs: 0x65000000 * 1000,
  ...overrides,
})
