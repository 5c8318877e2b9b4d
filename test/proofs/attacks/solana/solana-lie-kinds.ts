/** The lies of a Solana facilitator about a settlement, and the lies of a Solana node. */
import { randomBytes } from 'node:crypto'
import type { SettleResponse } from '@x402/core/types'
import { svmNetwork } from '../../../../api/payments/svm/names.ts'
import { toBase58 } from '../../../../infra/base58.ts'

type SettleTools = Readonly<{
  /** Makes another transfer of the buyer on the chain, and returns its signature. */
  transfer: (made: Readonly<{ payTo?: string; amount?: bigint }>) => Promise<string>
  seller: string
  settle: () => Promise<SettleResponse>
  /** The signature of the last settlement. Null: there was none. */
  last: () => string | null
}>
export type SettleLie = (tools: SettleTools) => Promise<SettleResponse>
/** Returns the false result that the node gives instead of the honest result. */
export type NodeLie = (method: string, honest: unknown) => unknown

const settled = (transaction: string): SettleResponse => ({ success: true, transaction, network: svmNetwork })

export const settleLies: Readonly<Record<string, SettleLie>> = {
  'a transaction that is nowhere': async () => settled(toBase58(randomBytes(64))),
  'the same transaction for each': async ({ last }) => settled(last() ?? toBase58(randomBytes(64))),
  'a transfer to somebody else': async ({ transfer }) => settled(await transfer({})),
  'a smaller amount': async ({ transfer, seller }) => settled(await transfer({ payTo: seller, amount: 1n })),
  'another transfer of the same amount': async ({ transfer, seller }) => settled(await transfer({ payTo: seller })),
  'no transaction': async () => settled(''),
  'a transaction of EVM': async () => settled(`0x${randomBytes(32).toString('hex')}`),
}

const refused: SettleResponse = {
  success: false,
  errorReason: 'transaction_failed',
  transaction: '',
  network: svmNetwork,
}

/** Lies about a real settlement. The buyer is charged and must get the answer. */
export const settledLies: Readonly<Record<string, SettleLie>> = {
  'refused, though it was settled': async ({ settle }) => {
    await settle()
    return refused
  },
  'settled by a transaction that is nowhere, though by another': async ({ settle }) => {
    await settle()
    return settled(toBase58(randomBytes(64)))
  },
}

const inContext =
  (value: unknown): NodeLie =>
  (_, honest) => ({ ...(honest as object), value })
const only =
  (methods: readonly string[], lie: NodeLie): NodeLie =>
  (method, honest) =>
    methods.includes(method) ? lie(method, honest) : honest

export const nodeLies: Readonly<Record<string, NodeLie>> = {
  'numbers for everything': () => 5,
  'null for everything': () => null,
  'empty objects for everything': () => ({}),
  'lists of null for everything': () => [null],
  'rubbish in base64': only(['getTransaction'], () => ({ meta: null, transaction: ['AAAA', 'base64'] })),
  'rubbish for signatures': only(['getSignaturesForAddress'], () =>
    Array.from({ length: 1_000 }, () => ({ signature: 'rubbish', err: null, blockTime: null })),
  ),
  'others for signatures, without end': only(['getSignaturesForAddress'], () =>
    Array.from({ length: 1_000 }, () => ({ signature: toBase58(randomBytes(64)), err: null, blockTime: null })),
  ),
  'every transaction failed': only(['getTransaction', 'getSignaturesForAddress'], (_, honest) =>
    Array.isArray(honest)
      ? honest.map((each: object) => ({ ...each, err: {} }))
      : honest && { ...(honest as object), meta: { err: {} } },
  ),
  'no transaction at all': only(['getTransaction', 'getSignaturesForAddress'], (method) =>
    method === 'getTransaction' ? null : [],
  ),
  'every blockhash is dead': only(['isBlockhashValid'], inContext(false)),
  'no blockhash ever dies': only(['isBlockhashValid'], inContext(true)),
  'blocks of the year 2100': only(['getBlockTime'], () => 4_102_444_800),
}
