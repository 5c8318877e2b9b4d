import { base58 } from '@scure/base'
import { expect } from 'chai'
import fc from 'fast-check'
import { readTransaction } from '../../../../ingest/chain-b/decode/transaction/read-transaction.ts'
import type { WireTransaction } from '../../../../ingest/chain-b/decode/transaction/wire.ts'
import { decodeWire } from '../../../support/chain-b/decode-wire.ts'
import { type EmittedEvent, encodeTrade, signatureOf, transactionOf } from '../../../support/chain-b/encode-events.ts'
import { recordedTrades, recordedTransactions } from '../../../support/chain-b/fixtures.ts'

const [first, second, third] = recordedTrades()
const emitted = [first!, second!, third!].map(
  (trade): EmittedEvent => ({ program: 'pump', payload: encodeTrade(trade) }),
)
const wire = transactionOf(emitted, signatureOf(1))
const { meta } = wire

describe('a transaction', () => {
  it('has several events in order, the same from both channels', () => {
    const { facts } = decodeWire(wire)
    expect(facts.map(({ fact }) => fact.data.logIndex)).to.deep.equal([0, 1, 2])
    expect(facts.map(({ fact }) => 'quoteRaw' in fact.data && fact.data.quoteRaw)).to.deep.equal(
      [first!, second!, third!].map(({ sol }) => sol),
    )
    expect(decodeWire(wire, { channel: 'logs' }).facts).to.deep.equal(facts)
  })

  it('is read by the order of its instructions, whatever the order in which the node lists them', () => {
    const [group] = meta.innerInstructions
    const parted = group!.instructions.map((instruction, index) => ({ index, instructions: [instruction] }))
    const mixed = { ...wire, meta: { ...meta, innerInstructions: parted.reverse() } }
    expect(decodeWire(mixed).facts).to.deep.equal(decodeWire(wire).facts)
  })

  it('is refused if its log was cut, and read from its inner instructions', () => {
    const cut = { ...wire, meta: { ...meta, logMessages: [...meta.logMessages.slice(0, 9), 'Log truncated'] } }
    expect(readTransaction(cut, 'logs')).to.deep.equal({ kind: 'refused', reason: 'truncated' })
    expect(decodeWire(cut).facts).to.have.lengthOf(3)
  })

  it('is refused if its log ends within a call, or ends another call than the last', () => {
    const { logMessages } = meta
    const withLines = (lines: readonly string[]) =>
      readTransaction({ ...wire, meta: { ...meta, logMessages: lines } }, 'logs')
    const unbalanced = { kind: 'refused', reason: 'unbalanced' }
    expect(withLines(logMessages.slice(0, -1))).to.deep.equal(unbalanced)
    const other = 'Program 11111111111111111111111111111111 success'
    expect(withLines(logMessages.with(-1, other))).to.deep.equal(unbalanced)
    expect(withLines([other, ...logMessages])).to.deep.equal(unbalanced)
  })

  it('is not deceived by a program that logs what the node would', () => {
    const [id] = wire.transaction.message.accountKeys.slice(1)
    const [start, ...rest] = meta.logMessages
    const data = meta.logMessages.find((line) => line.startsWith('Program data'))!
    const lines = [start!, `Program log: Program ${id} invoke [2]`, data, `Program log: Program ${id} success`, ...rest]
    expect(decodeWire({ ...wire, meta: { ...meta, logMessages: lines } }, { channel: 'logs' })).to.deep.equal(
      decodeWire(wire),
    )
  })

  it('has no events that another program signed for, or that do not begin with the tag of events', () => {
    const [group] = meta.innerInstructions
    const [call] = group!.instructions
    const withCalls = (...instructions: readonly object[]) =>
      decodeWire({ ...wire, meta: { ...meta, innerInstructions: [{ index: 0, instructions }] } }).facts
    expect(withCalls(call!)).to.have.lengthOf(1)
    expect(withCalls({ ...call!, accounts: [0] })).to.deep.equal([])
    expect(withCalls({ ...call!, accounts: [4] })).to.deep.equal([])
    expect(withCalls({ ...call!, accounts: [...call!.accounts, 0] })).to.deep.equal([])
    expect(withCalls({ ...call!, programIdIndex: 0 })).to.deep.equal([])
    const untagged = base58.decode(call!.data)
    untagged[7] = 0
    expect(withCalls({ ...call!, data: base58.encode(untagged) })).to.deep.equal([])
    expect(withCalls({ ...call!, data: `0${call!.data.slice(1)}` })).to.deep.equal([])
  })

  it('is refused without a message, its inner instructions or its log', () => {
    const reasonOf = (other: WireTransaction, channel: 'inner' | 'logs') => {
      const read = readTransaction(other, channel)
      return read.kind === 'refused' ? read.reason : read.kind
    }
    expect(reasonOf({ ...wire, meta: null }, 'inner')).to.equal('unreadable')
    expect(reasonOf({ ...wire, transaction: ['AAAA', 'base58'] }, 'inner')).to.equal('unreadable')
    expect(reasonOf({ ...wire, meta: { ...meta, innerInstructions: null } }, 'inner')).to.equal('no-inner-instructions')
    expect(reasonOf({ ...wire, meta: { ...meta, logMessages: null } }, 'logs')).to.equal('no-logs')
  })

  it('is refused if its bytes name no signature, more accounts than they hold, or a version that is unknown', () => {
    const keys = (count: number, there: number) => [count, ...Buffer.alloc(32 * there, 9)]
    const readBytes = (...bytes: readonly number[]) =>
      readTransaction({ transaction: [Buffer.from(bytes).toString('base64'), 'base64'], meta }, 'logs').kind
    const signature = [1, ...Buffer.alloc(64, 5)]
    expect(readBytes(...signature, 1, 0, 0, ...keys(2, 2))).to.equal('read')
    expect(readBytes(...signature, 0x80, 1, 0, 0, ...keys(2, 2))).to.equal('read')
    expect(readBytes(...signature, 0x81, 1, 0, 0, ...keys(2, 2))).to.equal('refused')
    expect(readBytes(...signature, 1, 0, 0, ...keys(3, 2))).to.equal('refused')
    expect(readBytes(0, 1, 0, 0, ...keys(2, 2))).to.equal('refused')
    expect(readBytes(...signature, 1, 0, 0, 0xff, 0xff, 0xff, 0xff)).to.equal('refused')
    expect(readBytes()).to.equal('refused')
  })

  it('whose bytes are cut or changed is never an exception', () => {
    const recorded = recordedTransactions()['2026-07-03 create_v2, buy (base64)']!
    const [text] = recorded.transaction as readonly [string]
    const bytes = Buffer.from(text, 'base64')
    const changed = fc.record({ length: fc.nat(bytes.length), at: fc.nat(300), byte: fc.nat(255) })
    fc.assert(
      fc.property(changed, ({ length, at, byte }) => {
        const other = Buffer.from(bytes.subarray(0, length))
        other[at] = byte
        const { kind } = readTransaction({ ...recorded, transaction: [other.toString('base64'), 'base64'] }, 'inner')
        expect(kind).to.be.oneOf(['read', 'refused'])
      }),
      { numRuns: 500 },
    )
  })

  it('of any shape is never an exception', () => {
    const wires = fc.record({
      transaction: fc.anything(),
      meta: fc.oneof(
        fc.anything(),
        fc.record({ err: fc.constant(null), innerInstructions: fc.anything(), logMessages: fc.anything() }),
      ),
    })
    fc.assert(
      fc.property(wires, fc.constantFrom('inner' as const, 'logs' as const), (any, channel) => {
        expect(readTransaction(any as WireTransaction, channel).kind).to.be.oneOf(['read', 'refused', 'failed'])
      }),
    )
    const json = fc.record({
      signatures: fc.constant([signatureOf(1)]),
      message: fc.record({ accountKeys: fc.array(fc.anything()) }),
    })
    const inner = fc.array(
      fc.oneof(fc.anything(), fc.record({ index: fc.nat(), instructions: fc.array(fc.anything()) })),
    )
    fc.assert(
      fc.property(json, inner, fc.array(fc.anything()), (transaction, innerInstructions, logMessages) => {
        const any = { transaction, meta: { err: null, innerInstructions, logMessages } } as WireTransaction
        for (const channel of ['inner', 'logs'] as const)
          expect(readTransaction(any, channel).kind).to.be.oneOf(['read', 'refused'])
      }),
    )
  })
})
