/** Decodes the recorded logs of real contracts into facts, as ingest does. */
import assert from 'node:assert/strict'
import { decodeLogs } from '../../ingest/chain-a/decode/decode-logs.ts'
import type { RawLog } from '../../ingest/chain-a/decode/log-words.ts'
import type { TokenFact } from '../../ingest/chain-a/types.ts'
import { bookWith } from '../ingest/known-of.ts'
import { buildHash } from './builders/build-facts.ts'
import { readMarketFixture } from './oracle/market-fixture.ts'

export function contractFacts(): readonly TokenFact[] {
  const { recording } = readMarketFixture()
  // The recording leaves out fields that no answer needs.
  const logs = recording.logs.map((log) => ({
    ...log,
    blockHash: buildHash(Number(log.blockNumber)),
    transactionIndex: '0x0',
  }))
  const { facts, rejections } = decodeLogs(logs as unknown as readonly RawLog[], {
    contracts: Object.fromEntries(
      Object.entries(recording.contracts).map(([name, address]) => [name, address.toLowerCase()]),
    ) as typeof recording.contracts,
    book: bookWith(),
    curves: { launchpads: [], found: new Map(), isRefused: () => false },
    blockAtMsOf: (log) => Number((log as unknown as { blockTimestamp: string }).blockTimestamp) * 1000,
  })
  assert.deepEqual(
    rejections.map(({ reason }) => reason),
    [],
  )
  return facts
}
