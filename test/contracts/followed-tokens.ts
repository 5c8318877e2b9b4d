/**
 * Tests how the ingest program of a chain learns from the log which tokens were called in chats. Runs for
 * every adapter of the log.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec, type SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { Log, NewRecord } from '../../infra/log/log.ts'
import { loadAddressBook } from '../../ingest/address-book.ts'
import { chainADefinition } from '../../ingest/chain-a/definition.ts'
import type { ChainAIngestTypes } from '../../ingest/chain-a/types.ts'
import { chainBDefinition } from '../../ingest/chain-b/definition.ts'
import type { ChainBIngestTypes } from '../../ingest/chain-b/types.ts'
import { type Followings, withCall } from '../../schemas/calls/following.ts'
import { callRules } from '../../schemas/calls/rules.ts'
import type { ChainAAddress } from '../../schemas/chain-a/addresses.ts'
import type { ChainBAddress } from '../../schemas/chain-b/addresses.ts'
import type { StageRecord } from '../../schemas/stage.ts'
import { topics } from '../../schemas/topics.ts'
import { buildPoolAddress, poolOf, tokenOf } from '../ingest/build-range.ts'

const startAtMs = Date.UTC(2026, 0, 1, 12)
const calledAt = (atMs: number, before: Followings = []): Followings =>
  withCall(before, { postedAtMs: atMs, answeredAtMs: atMs, isFollowed: true })

export function describeFollowedTokens(name: string, { create }: Readonly<{ create(): Promise<Log> }>): void {
  describe(`${name}: called tokens in the address book`, () => {
    let log: Log
    let codec: SchemaCodec<StageRecord>
    const stop = () => new AbortController()

    beforeEach(async () => {
      log = await create()
      codec = await createSchemaCodec(topics.addresses, createMemoryRegistry())
    })
    afterEach(() => log.close())

    const recordOf = (stage: string, token: string, followings: Followings | null): NewRecord => ({
      ...{ topic: 'addresses', partition: 0, key: `followed-${stage}/${token}` },
      value: followings && codec.encode('FollowedToken', { token, followings }),
    })
    const write = async (...records: readonly NewRecord[]) => {
      const writer = await log.openWriter('mentions', { isTransactional: false })
      await writer.append(records)
      await writer.close()
    }
    const openA = () => loadAddressBook<ChainAIngestTypes>(log, codec as SchemaCodec<ChainAAddress>, chainADefinition)
    const until = async (isSo: () => boolean) => {
      for (let tries = 0; !isSo() && tries < 2_000; tries++) await wait(5)
      expect(isSo()).to.equal(true)
    }

    it('are known after a start, those of each chain to its own ingest', async () => {
      await write(
        recordOf('chain-a', tokenOf(1), calledAt(startAtMs)),
        recordOf('chain-b', tokenOf(2), calledAt(startAtMs)),
        recordOf('chain-a', tokenOf(1), calledAt(startAtMs + 1000, calledAt(startAtMs))),
      )
      const { followed } = (await openA()).known
      const untilMs = startAtMs + 1000 + callRules.watchMs + 15 * 60_000
      expect(followed.of(tokenOf(1)).map((each) => ({ ...each }))).to.deep.equal([{ sinceMs: startAtMs, untilMs }])
      expect(followed.of(tokenOf(2))).to.deep.equal([])
      const ofB = await loadAddressBook<ChainBIngestTypes>(log, codec as SchemaCodec<ChainBAddress>, chainBDefinition)
      expect(ofB.known.followed.of(tokenOf(2))).to.have.length(1)
    })

    it('become known while ingest runs, and are forgotten when they are removed', async () => {
      const book = await openA()
      const ending = stop()
      const following = book.followCalls(ending.signal)
      await write(recordOf('chain-a', tokenOf(1), calledAt(startAtMs)))
      await until(() => book.known.followed.of(tokenOf(1)).length === 1)
      await write(recordOf('chain-a', tokenOf(1), null))
      await until(() => book.known.followed.of(tokenOf(1)).length === 0)
      ending.abort()
      await following
    })

    it('keep their pools in the book, and nobody else’s', async () => {
      const book = await openA()
      const pools = [1, 2].map((number) => {
        const { data } = buildPoolAddress(number, 5)
        return { type: 'PoolAddress', data: { ...data, createdAtMs: startAtMs } } as ChainAAddress
      })
      book.remember(book.changes({ newAddresses: pools }, startAtMs))
      await write(recordOf('chain-a', tokenOf(1), calledAt(startAtMs)))
      const again = await openA()
      again.remember(again.changes({ newAddresses: pools }, startAtMs))
      const removedAt = (hours: number) =>
        again.changes({ newAddresses: [], staleAddresses: ['none'] }, startAtMs + hours * 3_600_000).removed
      expect(removedAt(26)).to.deep.equal(['none', poolOf(2)])
      expect(removedAt(48.25)).to.deep.equal(['none', poolOf(2)])
      expect(removedAt(48.26)).to.deep.equal(['none', poolOf(1), poolOf(2)])
    })
  })
}
