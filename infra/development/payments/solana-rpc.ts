/** The JSON-RPC methods of a Solana node that payments need, answered by the local chain. */

import { address as addressText } from '@solana/kit'
import type { SolanaChain } from './solana-chain.ts'
import { amountIn, localGenesisHash } from './solana-dollar.ts'
import type { Landed } from './solana-history.ts'

export type RpcMethod = (chain: SolanaChain, params: readonly unknown[]) => unknown

/** The number of later slots after which a slot is final. */
const finalSlots = 32

const feeLamports = 1_000_000_000_000n

type Options = Readonly<{ commitment?: string; minContextSlot?: number; limit?: number; before?: string }>

const textOf = (param: unknown): string => {
  if (typeof param === 'string') return param
  throw new TypeError('a parameter must be a string')
}
const optionsOf = (param: unknown): Options => (typeof param === 'object' && param !== null ? param : {})

/** The newest slot at the commitment that the caller gives. Fails if the chain has not reached `minContextSlot`. */
function slotOf(chain: SolanaChain, param: unknown): number {
  const { commitment, minContextSlot } = optionsOf(param)
  const slot = commitment === 'confirmed' || commitment === 'processed' ? chain.slot() : chain.slot() - finalSlots
  if (minContextSlot !== undefined && slot < minContextSlot)
    throw new RangeError('Minimum context slot has not been reached')
  return slot
}

const inContext = (chain: SolanaChain, param: unknown, value: unknown) => ({
  context: { apiVersion: '2.0.0', slot: slotOf(chain, param) },
  value,
})

const isFinal = (chain: SolanaChain, { slot }: Landed) => slot <= chain.slot() - finalSlots
const errorOf = ({ failure }: Landed) => (failure === null ? null : { InstructionError: [0, failure] })

const statusOf = (chain: SolanaChain, landed: Landed) => ({
  slot: landed.slot,
  confirmations: null,
  err: errorOf(landed),
  confirmationStatus: isFinal(chain, landed) ? 'finalized' : 'confirmed',
})

function accountOf(chain: SolanaChain, address: unknown) {
  const account = chain.account(textOf(address))
  return account === null
    ? null
    : {
        ...{ executable: false, lamports: Number(account.lamports), owner: account.owner, rentEpoch: 0 },
        ...{ space: account.data.length, data: [Buffer.from(account.data).toString('base64'), 'base64'] },
      }
}

function signaturesFor(chain: SolanaChain, address: unknown, options: unknown) {
  const { limit = 1_000, before } = optionsOf(options)
  const slot = slotOf(chain, options)
  const all = chain.landedOf(textOf(address)).filter((landed) => landed.slot <= slot)
  const from = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1
  return all.slice(from, from + limit).map((landed) => ({
    ...statusOf(chain, landed),
    signature: landed.signature,
    blockTime: chain.timeOf(landed.slot),
    memo: null,
  }))
}

function transactionOf(chain: SolanaChain, signature: unknown, options: unknown) {
  const landed = chain.find(textOf(signature))
  if (landed === undefined || landed.slot > slotOf(chain, options)) return null
  const { slot, wire } = landed
  return {
    slot,
    blockTime: chain.timeOf(slot),
    transaction: [wire, 'base64'],
    meta: { err: errorOf(landed), fee: 0 },
    version: 0,
  }
}

function tokenBalanceOf(chain: SolanaChain, address: unknown) {
  const account = chain.account(textOf(address))
  const amount = account === null ? 0n : amountIn(account.data)
  return {
    amount: String(amount),
    decimals: 6,
    uiAmount: Number(amount) / 1e6,
    uiAmountString: String(Number(amount) / 1e6),
  }
}

export const rpcMethods: Readonly<Record<string, RpcMethod>> = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': '2.0.0', 'feature-set': 0 }),
  getGenesisHash: () => localGenesisHash,
  getSlot: (chain, [options]) => slotOf(chain, options),
  getBlockHeight: (chain, [options]) => slotOf(chain, options),
  getBlockTime: (chain, [slot]) => chain.timeOf(Number(slot)),
  getLatestBlockhash: (chain, [options]) => inContext(chain, options, chain.latestBlockhash()),
  isBlockhashValid: (chain, [blockhash, options]) =>
    inContext(chain, options, chain.isBlockhashValid(textOf(blockhash))),
  getAccountInfo: (chain, [address, options]) => inContext(chain, options, accountOf(chain, address)),
  getBalance: (chain, [address, options]) =>
    inContext(chain, options, Number(chain.account(textOf(address))?.lamports ?? 0n)),
  getTokenAccountBalance: (chain, [address, options]) => inContext(chain, options, tokenBalanceOf(chain, address)),
  simulateTransaction: (chain, [wire, options]) => {
    const err = chain.simulate(textOf(wire))
    return inContext(chain, options, { err, logs: [], accounts: null, unitsConsumed: 0, returnData: null })
  },
  sendTransaction: (chain, [wire]) => chain.send(textOf(wire)),
  getSignatureStatuses: (chain, [signatures, options]) => {
    const statuses = (Array.isArray(signatures) ? signatures : []).map((signature) => {
      const landed = chain.find(textOf(signature))
      return landed === undefined ? null : statusOf(chain, landed)
    })
    return inContext(chain, options, statuses)
  },
  getSignaturesForAddress: (chain, [address, options]) => signaturesFor(chain, address, options),
  getTransaction: (chain, [signature, options]) => transactionOf(chain, signature, options),
  /** `localFund` and `localAdvance` are for tests. Real nodes do not have these methods. */
  localFund: (chain, [address]) => {
    chain.airdrop(addressText(textOf(address)), feeLamports)
    return true
  },
  localAdvance: (chain, [durationMs]) => {
    chain.advance(Number(durationMs))
    return true
  },
}
