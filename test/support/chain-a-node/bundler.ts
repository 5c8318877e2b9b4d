/**
 * Builds transactions of a contract that makes the trades of many wallets. All these trades are in one
 * transaction with another sender.
 */
import { type Address, encodeFunctionData, parseAbi } from 'viem'
import { mockCreation } from './mock-contracts.ts'
import type { NodeTransaction } from './node.ts'

const abi = parseAbi(['struct Call { address to; uint256 value; bytes data; }', 'function run(Call[] calls) payable'])

export const bundlerCreation = (from: Address): NodeTransaction => ({
  ...{ from, to: null },
  data: mockCreation('Bundler'),
  gas: 2_000_000n,
})

/**
 * Bundles transactions into one. The bundler contract makes the calls, so the chain does not show the senders
 * of `transactions`.
 */
export function bundled(from: Address, bundler: Address, transactions: readonly NodeTransaction[]): NodeTransaction {
  const calls = transactions.map(({ to, valueWei = 0n, data }) => ({ to: to ?? bundler, value: valueWei, data }))
  const valueWei = calls.reduce((sum, { value }) => sum + value, 0n)
  const data = encodeFunctionData({ abi, functionName: 'run', args: [calls] })
  return { from, to: bundler, valueWei, data, gas: 3_000_000n }
}
