/**
 * An additional chain for tests. It is as different from chain A as possible: slots have no hashes, addresses
 * are names, and there is no price.
 */
import type { AddressBookDefinition, Chain, ChainDefinition } from '../../ingest/chain.ts'
import type { Lookup } from '../../ingest/lookups/lookup.ts'
import type { ChainSource, FactRange } from '../../ingest/source.ts'
import { type EventOf, nullable, recordOf } from '../../schemas/avro.ts'
import type { Stage } from '../../schemas/stage.ts'
import { tick } from '../../schemas/tick.ts'
import { type Topic, topics } from '../../schemas/topics.ts'

const deposited = recordOf('Deposited', [
  { name: 'account', type: 'string' },
  { name: 'slot', type: 'long' },
  { name: 'slotAtMs', type: 'long' },
  { name: 'step', type: 'int' },
])
const named = recordOf('Named', [
  { name: 'questionId', type: 'string' },
  { name: 'revision', type: 'int' },
  { name: 'title', type: nullable('string') },
  { name: 'failure', type: nullable('string') },
  { name: 'answeredAtMs', type: 'long' },
])
const nameAsked = recordOf('NameAsked', [
  { name: 'questionId', type: 'string' },
  { name: 'revision', type: 'int' },
  { name: 'atMs', type: 'long' },
])
const toyAccount = recordOf('ToyAccount', [
  { name: 'account', type: 'string' },
  { name: 'sinceMs', type: 'long' },
])

type ToyFact = EventOf<{ Deposited: typeof deposited }>
type ToyAnswer = EventOf<{ Named: typeof named }>
type ToyDerived = EventOf<{ NameAsked: typeof nameAsked }>
type ToyAddress = EventOf<{ ToyAccount: typeof toyAccount }>
type ToyKey = Readonly<{ recordType: string; atMs: number; account: string }>

export type ToyTypes = Readonly<{
  stage: Readonly<{ fact: ToyFact; answer: ToyAnswer; derived: ToyDerived; key: ToyKey }>
  address: ToyAddress
  known: ReadonlyMap<string, number>
}>
export type ToyRange = FactRange<ToyTypes>

const topicOf = (name: string, schemas: NonNullable<Topic['schemas']>): Topic => ({
  ...topics['chain-a-facts'],
  ...{ name, key: 'account', schemas, partitionCount: 2 },
})

export const toyStage: Stage<ToyTypes['stage']> = {
  name: 'toy',
  factTopic: topicOf('toy-facts', { Deposited: deposited, Named: named, Tick: tick }),
  derivedTopic: topicOf('toy-derived', { NameAsked: nameAsked, Tick: tick }),
  rulesVersion: 'toy 1',
  isAnswer: ({ type }) => type === 'Named',
  blockNumberOf: ({ data }) => data.slot,
  blockOf: ({ data }) => ({ number: data.slot, hash: '0x', atMs: data.slotAtMs }),
  rowKeyOf: ({ type, data }) => ({ recordType: type, atMs: data.atMs, account: data.questionId }),
  rowNameOf: ({ account }) => account,
  movableTypes: [],
}

/** The topics of the service and of the test chain. Both use the same topic of addresses. */
export const topicTable = {
  ...topics,
  'toy-facts': toyStage.factTopic,
  'toy-derived': toyStage.derivedTopic,
  addresses: { ...topics.addresses, schemas: { ...topics.addresses.schemas, ToyAccount: toyAccount } },
} as const

export const accountLifeMs = 1_000

const addressBook: AddressBookDefinition<ToyTypes> = {
  keyPrefix: 'toy/',
  forgetAfterMs: 0,
  keyOf: ({ data }) => data.account,
  createMaps() {
    const accounts = new Map<string, number>()
    return {
      known: accounts,
      put: ({ data }) => void accounts.set(data.account, data.sinceMs),
      drop: (key) => void accounts.delete(key),
      expired: (atMs) => [...accounts].flatMap(([key, sinceMs]) => (atMs - sinceMs > accountLifeMs ? [key] : [])),
    }
  },
}

const toyLookup: Lookup<ToyDerived, ToyAnswer, string> = {
  questionType: 'NameAsked',
  answerType: 'Named',
  askAfterMs: 0,
  questionIdOf: ({ atMs }) => `of ${atMs}`,
  find: async ({ questionId }) => ({ found: questionId.toUpperCase() }),
  answerOf: (_asked, title) => ({ title }),
}

export const toyDefinition: ChainDefinition<ToyTypes> = {
  stage: toyStage,
  addressBook,
  factIdOf: ({ data }) => `${data.slot}/${data.step}`,
  orderInBlock: ({ data }) => data.step,
}

export const toyChain = (source: ChainSource<ToyTypes>): Chain<ToyTypes> => ({
  ...toyDefinition,
  source,
  readPrice: null,
  lookups: [toyLookup],
})

export const toyAtMs = (slot: number): number => 1_700_000_000_000 + slot * 400

/**
 * Returns a range of one slot, with a deposit of each account. The range adds the accounts to the address
 * book.
 */
export function buildToyRange(slot: number, accounts: readonly string[] = []): ToyRange {
  const slotAtMs = toyAtMs(slot)
  return {
    fromBlock: slot,
    head: { number: slot, hash: '0x', atMs: slotAtMs },
    facts: accounts.map((account, step) => ({
      key: account,
      fact: { type: 'Deposited', data: { account, slot, slotAtMs, step } },
    })),
    newAddresses: accounts.map((account) => ({ type: 'ToyAccount', data: { account, sinceMs: slotAtMs } })),
  }
}
