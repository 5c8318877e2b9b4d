/**
 * The transactions and blockhashes that a local Solana chain keeps: the newest 10,000 transactions, and the blockhashes
 * that are still valid.
 */
import { hash } from 'node:crypto'
import type { Address, Blockhash, Signature } from '@solana/kit'

export type Landed = Readonly<{
  signature: Signature
  slot: number
  /** The reason why the transaction failed. Null if it succeeded. */
  failure: string | null
  /** The bytes of the transaction as they were sent, in base64. */
  wire: string
  accounts: ReadonlySet<Address>
}>

export type SolanaHistory = Readonly<{
  /** Records a blockhash that is issued in the current slot. Deletes the blockhashes that are no longer valid. */
  issue: (blockhash: Blockhash, slot: number) => void
  isValid: (blockhash: string, slot: number) => boolean
  /** Whether a transaction with these message bytes is already on the chain. */
  hasMessage: (messageBytes: Uint8Array) => boolean
  add: (messageBytes: Uint8Array, landed: Landed) => void
  find: (signature: string) => Landed | undefined
  /** The transactions that name an account, newest first. */
  of: (account: string) => readonly Landed[]
}>

/** The maximum age of a transaction's blockhash, in slots. */
export const blockhashSlots = 150
const landedMax = 10_000

export function createSolanaHistory(): SolanaHistory {
  /** The slot of each issued blockhash, in slot order. */
  const issued = new Map<string, number>()
  const landedOf = new Map<string, Landed>()
  const messages = new Set<string>()
  const idOf = (messageBytes: Uint8Array) => hash('sha256', messageBytes, 'base64')
  const isValid = (blockhash: string, slot: number) => slot - (issued.get(blockhash) ?? -Infinity) <= blockhashSlots
  return {
    issue: (blockhash, slot) => {
      issued.set(blockhash, slot)
      for (const [old] of issued) {
        if (isValid(old, slot)) break
        issued.delete(old)
      }
    },
    isValid,
    hasMessage: (messageBytes) => messages.has(idOf(messageBytes)),
    add: (messageBytes, landed) => {
      messages.add(idOf(messageBytes))
      landedOf.set(landed.signature, landed)
      if (landedOf.size > landedMax) dropOldest(landedOf)
      if (messages.size > landedMax) dropOldest(messages)
    },
    find: (signature) => landedOf.get(signature),
    of: (account) => [...landedOf.values()].filter(({ accounts }) => accounts.has(account as Address)).reverse(),
  }
}

function dropOldest(kept: Map<string, unknown> | Set<string>): void {
  const [oldest] = kept.keys()
  if (oldest !== undefined) kept.delete(oldest)
}
