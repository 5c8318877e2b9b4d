/**
 * A local Solana chain with a dollar token and its accounts. Clients reach the chain over the JSON-RPC of a
 * Solana node.
 */
import type { Address } from '@solana/kit'
import { type ServedRpc, serveJsonRpc } from './serve-json-rpc.ts'
import { startSolanaChain } from './solana-chain.ts'
import {
  dollarAccountData,
  dollarAccountOf,
  mintData,
  solanaDollarMint,
  solanaSigner,
  tokenProgram,
} from './solana-dollar.ts'
import { rpcMethods } from './solana-rpc.ts'

const feeLamports = 1_000_000_000_000n

export async function serveSolana(buyerUsdMicros: bigint): Promise<ServedRpc> {
  const chain = await startSolanaChain()
  chain.airdrop((await solanaSigner('facilitator')).address, feeLamports)
  chain.setAccount(solanaDollarMint, { owner: tokenProgram, data: mintData(buyerUsdMicros) })
  const open = async (owner: Address, amount: bigint) =>
    chain.setAccount(await dollarAccountOf(owner), { owner: tokenProgram, data: dollarAccountData(owner, amount) })
  await open((await solanaSigner('buyer')).address, buyerUsdMicros)
  await open((await solanaSigner('payTo')).address, 0n)
  return serveJsonRpc((method, params) => {
    const answer = rpcMethods[method]
    return answer === undefined ? null : { result: answer(chain, params) }
  })
}
