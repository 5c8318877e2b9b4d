/**
 * Computes the fake node's answers to each method. The answers show the state of the chain at the time of the
 * request.
 */
import { base58 } from '@scure/base'
import { encodeValue, pumpAddress } from '../encode-events.ts'
import { type FakeBlock, type FakeChain, type FakeTransaction, hashText } from './chain.ts'
import { encodeTransaction } from './encode-facts.ts'

/**
 * The state of the fake node. Its lists of the transactions of an address are complete up to `listedSlot`. A
 * page has at most `pageCount` entries, even if the client requests more.
 */
export type View = Readonly<{ chain: FakeChain; headSlot: number; listedSlot: number; pageCount: number }>

type RpcError = Readonly<{ error: Readonly<{ code: number; message: string }> }>
type Params = readonly unknown[]
type Result = Readonly<{ result: unknown }> | RpcError

export function answer(view: View, method: string, params: Params): Result {
  const known = methods[method]
  const config = params[1] as Readonly<{ minContextSlot?: number }> | undefined
  if ((config?.minContextSlot ?? 0) > view.listedSlot)
    return { error: { code: -32_016, message: 'Minimum context slot has not been reached' } }
  return known ? known(view, params) : { error: { code: -32_601, message: 'Method not found' } }
}

const confirmedOnly = (view: View): readonly FakeBlock[] =>
  view.chain.blocks().filter(({ slot }) => slot <= view.headSlot)

type Placed = Readonly<{ block: FakeBlock; index: number; transaction: FakeTransaction }>

const placedIn = (block: FakeBlock): readonly Placed[] =>
  block.transactions.map((transaction, index) => ({ block, index, transaction }))

const listOf = (view: View, address: string): readonly Placed[] =>
  confirmedOnly(view)
    .filter(({ slot }) => slot <= view.listedSlot)
    .flatMap(placedIn)
    .filter(({ transaction }) => transaction.scripted.names.includes(address))

type Wire = ReturnType<typeof encodeTransaction>
/**
 * The cached encoded transactions. Base58 is slow, and clients request the same transactions again and again.
 */
const wires = new WeakMap<FakeTransaction, Readonly<{ time: number; wire: Wire }>>()

export function wireOf({ block: { atSec: time }, transaction }: Placed): Wire {
  const kept = wires.get(transaction)
  if (kept?.time === time) return kept.wire
  const wire = encodeTransaction(transaction.scripted, { signature: transaction.signature, time })
  wires.set(transaction, { time, wire })
  return wire
}

const errOf = ({ transaction }: Placed) =>
  transaction.scripted.isFailed ? { InstructionError: [0, { Custom: 6001 }] } : null

function getBlock(view: View, [slot, config]: Params): Result {
  const block = confirmedOnly(view).find((each) => each.slot === slot)
  if (!block) return { error: { code: -32_007, message: `Slot ${String(slot)} was skipped, or missing` } }
  const { transactionDetails } = config as Readonly<{ transactionDetails: string }>
  const header = {
    blockhash: hashText(block.hash),
    previousBlockhash: hashText(block.parentHash),
    parentSlot: block.parentSlot,
    blockTime: block.atSec,
    blockHeight: block.slot - 100,
  }
  return { result: transactionDetails === 'full' ? { ...header, transactions: placedIn(block).map(wireOf) } : header }
}

type AddressConfig = Readonly<{
  transactionDetails?: string
  limit?: number
  paginationToken?: string
  filters: Readonly<{ slot?: Readonly<{ gte: number; lte: number }> }>
}>

function getTransactionsForAddress(view: View, [address, given]: Params): Result {
  const config = given as AddressConfig
  const { gte, lte } = config.filters.slot ?? { gte: 0, lte: Number.POSITIVE_INFINITY }
  const all = listOf(view, String(address)).filter(
    ({ block, transaction }) => block.slot >= gte && block.slot <= lte && !transaction.scripted.isFailed,
  )
  const [slot = 0, index = -1] = (config.paginationToken ?? '0:-1').split(':').map(Number)
  const left = all.filter((each) => each.block.slot > slot || (each.block.slot === slot && each.index > index))
  const page = left.slice(0, Math.min(view.pageCount, config.limit ?? 1000))
  const last = page.at(-1)
  return {
    result: {
      data: page.map((each) => {
        const place = { slot: each.block.slot, transactionIndex: each.index, blockTime: each.block.atSec }
        return config.transactionDetails === 'full'
          ? { ...place, ...wireOf(each) }
          : { ...place, signature: each.transaction.signature, err: null, memo: null, confirmationStatus: 'confirmed' }
      }),
      paginationToken: last && page.length < left.length ? `${last.block.slot}:${last.index}` : null,
    },
  }
}

function getSignaturesForAddress(view: View, [address, given]: Params): Result {
  const { before, limit = 1000 } = given as Readonly<{ before?: string; limit?: number }>
  const newestFirst = [...listOf(view, String(address))].reverse()
  const from = before === undefined ? 0 : newestFirst.findIndex((each) => each.transaction.signature === before) + 1
  return {
    result: newestFirst.slice(from, from + Math.min(view.pageCount, limit)).map((each) => ({
      ...{ signature: each.transaction.signature, slot: each.block.slot, blockTime: each.block.atSec },
      ...{ err: errOf(each), memo: null, confirmationStatus: 'confirmed' },
    })),
  }
}

function getTransaction(view: View, [signature]: Params): Result {
  const found = confirmedOnly(view)
    .flatMap(placedIn)
    .find(({ transaction }) => transaction.signature === signature)
  return {
    result: found ? { slot: found.block.slot, blockTime: found.block.atSec, version: 0, ...wireOf(found) } : null,
  }
}

/**
 * Returns the accounts of curves. Most reserves are zero, because the reader uses only fields that never
 * change.
 */
function getMultipleAccounts(view: View, [addresses]: Params): Result {
  const mints = new Map(
    view.chain.blocks().flatMap(({ transactions }) => transactions.map(({ scripted: { mint } }) => [mint.curve, mint])),
  )
  const value = (addresses as readonly string[]).map((curve) => {
    const mint = mints.get(curve)
    if (!mint) return null
    const reserves = [0n, 0n, 0n, 0n, 10n ** 15n].map((u64) => encodeValue({ u64 }))
    const creator = encodeValue({ key: base58.encode(Buffer.from(mint.creator.slice(2), 'hex')) })
    const bytes = Buffer.concat([Buffer.from('17b7f83760d8ac60', 'hex'), ...reserves, Buffer.of(0), creator])
    return { data: [bytes.toString('base64'), 'base64'], owner: pumpAddress, lamports: 1, executable: false }
  })
  return { result: { context: { slot: view.headSlot }, value } }
}

const methods: Readonly<Record<string, (view: View, params: Params) => Result>> = {
  getSlot: ({ headSlot }) => ({ result: headSlot }),
  getGenesisHash: () => ({ result: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' }),
  getBlocks: (view, [from, to]) => ({
    result: confirmedOnly(view)
      .map(({ slot }) => slot)
      .filter((slot) => slot >= Number(from) && slot <= Number(to)),
  }),
  getBlock,
  getTransactionsForAddress,
  getSignaturesForAddress,
  getTransaction,
  getMultipleAccounts,
}
