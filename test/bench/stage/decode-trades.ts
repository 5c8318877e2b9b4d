/** The cost of decoding trade events to facts, compared with code that reads the same fields by hand. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type ViewedBytes, viewed } from '../../../infra/codec/avro/viewed-bytes.ts'
import { decodeEvent } from '../../../ingest/chain-b/decode/decode-event.ts'
import { decodeTransaction } from '../../../ingest/chain-b/decode/decode-transaction.ts'
import type { EventPlace } from '../../../ingest/chain-b/decode/decoded-event.ts'
import { type Channel, readTransaction } from '../../../ingest/chain-b/decode/transaction/read-transaction.ts'
import type { CurveTraded } from '../../../schemas/chain-b/facts.ts'
import type { Hex } from '../../../schemas/units.ts'
import { encodeNewestTrade, signatureOf, transactionOf } from '../../support/chain-b/encode-events.ts'
import { type RecordedTrade, recordedTrades } from '../../support/chain-b/fixtures.ts'
import { compete, spent } from '../rounds.ts'

const eventCount = 100_000
const transactionCount = 5000
const mintCount = 2000
const traderCount = 20_000

const place: EventPlace = {
  blockNumber: 366_586_929,
  blockAtMs: 1_757_782_395_000,
  txIndex: 7,
  logIndex: 0,
  blockHash: `0x${'ab'.repeat(32)}` as const,
  txHash: `0x${'cd'.repeat(64)}` as const,
}
const context = { place, poolOf: () => undefined }

export async function measureDecoding(rounds: number): Promise<void> {
  const events = drawEvents()
  compareOne(events[0] as ViewedBytes)
  const [hand, decoder] = await compete(
    [
      { name: 'by hand', run: () => spent(async () => readAll(events, byHand)) },
      { name: 'decoder', run: () => spent(async () => readAll(events, decoded)) },
    ],
    { rounds, units: eventCount },
  )
  if (hand && decoder) {
    const byClock = decoder.perSecond / hand.perSecond
    const byCpu = hand.cpuSecondsPerMillion / decoder.cpuSecondsPerMillion
    console.log(`  decoder / by hand: ${byClock.toFixed(2)} by the clock, ${byCpu.toFixed(2)} by CPU`)
  }
  const wires = drawTransactions()
  const through = (channel: Channel) => () => spent(async () => readWires(wires, channel))
  await compete(
    [
      { name: 'from inner calls', run: through('inner') },
      { name: 'from logs', run: through('logs') },
    ],
    { rounds, units: transactionCount },
  )
}

/** Returns events of the recorded trades in the newest layout, with many different mints and traders. */
function drawEvents(): readonly ViewedBytes[] {
  const trades = recordedTrades()
  const mints = randomBytes(32 * mintCount)
  const traders = randomBytes(32 * traderCount)
  return Array.from({ length: eventCount }, (_, index) => {
    const bytes = encodeNewestTrade(trades[index % trades.length] as RecordedTrade)
    mints.copy(bytes, 8, 32 * (index % mintCount), 32 * (index % mintCount) + 32)
    traders.copy(bytes, 57, 32 * (index % traderCount), 32 * (index % traderCount) + 32)
    return viewed(bytes)
  })
}

function readAll(events: readonly ViewedBytes[], read: (event: ViewedBytes) => CurveTraded): void {
  let total = 0n
  for (const event of events) total += read(event).quoteRaw
  assert.notEqual(total, 0n)
}

function decoded(payload: ViewedBytes): CurveTraded {
  const event = decodeEvent({ program: 'pump', payload }, context)
  if (event.kind !== 'fact' || event.fact.type !== 'CurveTraded') assert.fail('not a trade')
  return event.fact.data
}

/**
 * Decodes a trade by hand. This function works only for events that have this one layout and come from the
 * right program.
 */
function byHand({ bytes, view }: ViewedBytes): CurveTraded {
  const isBuy = bytes[56] === 1
  const quote = view.getBigUint64(40, true)
  const tokens = view.getBigUint64(48, true)
  const named = 262 + view.getUint32(258, true)
  const solMint = bytes.toString('hex', named + 37, named + 69)
  assert.ok(bytes.toString('hex', 8, 40).length === 64)
  return {
    trader: `0x${bytes.toString('hex', 57, 89)}` as const,
    quoteRaw: isBuy ? quote : -quote,
    tokenRaw: isBuy ? tokens : -tokens,
    virtualQuoteRaw: view.getBigUint64(97, true),
    virtualTokenRaw: view.getBigUint64(105, true),
    realQuoteRaw: view.getBigUint64(113, true),
    realTokenRaw: view.getBigUint64(121, true),
    feeRaw: view.getBigUint64(169, true),
    creatorFeeRaw: view.getBigUint64(217, true),
    rewardsRaw: view.getBigUint64(named + 9, true) + view.getBigUint64(named + 101, true),
    quoteMint: solMint === '0'.repeat(64) ? null : (`0x${solMint}` as const),
    isMayhem: bytes[named] === 1,
    lateSlot: null,
    lateAtMs: null,
    blockNumber: place.blockNumber,
    blockAtMs: Number(view.getBigInt64(89, true)) * 1000,
    txIndex: place.txIndex,
    logIndex: place.logIndex,
    blockHash: place.blockHash,
    txHash: place.txHash,
  }
}

/** Checks that both ways of decoding give the same fact. */
function compareOne(event: ViewedBytes): void {
  assert.deepEqual({ ...decoded(event), blockAtMs: 0 }, { ...byHand(event), blockAtMs: 0 })
}

type Wire = ReturnType<typeof transactionOf>

const drawTransactions = (): readonly Wire[] => {
  const trades = recordedTrades()
  return Array.from({ length: transactionCount }, (_, index) => {
    const payload = encodeNewestTrade(trades[index % trades.length] as RecordedTrade)
    return transactionOf([{ program: 'pump', payload }], signatureOf(index))
  })
}

function readWires(wires: readonly Wire[], channel: Channel): void {
  let facts = 0
  for (const wire of wires) {
    const read = readTransaction(wire, channel)
    if (read.kind !== 'read') assert.fail(read.kind)
    const txHash: Hex = read.signature
    facts += decodeTransaction(read.events, { ...context, place: { ...place, txHash } }).facts.length
  }
  assert.equal(facts, wires.length)
}
