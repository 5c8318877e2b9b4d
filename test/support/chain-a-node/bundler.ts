/** A contract that carries out the trades of many in one transaction, whose sender is none of them. */
import { type Address, encodeFunctionData, parseAbi } from 'viem'
import { mockCreation } from './mock-contracts.ts'
import type { NodeTransaction } from './node.ts'

const abi = parseAbi(['struct Call { address to; uint256 value; bytes data; }', 'function run(Call[] calls) payable'])

export const bundlerCreation = (from: Address): NodeTransaction => ({
  ...{ from, to: null },
  data: mockCreation('Bundler'),
  gas: 2_000_000n,
})

/** The senders of the bundled transactions are lost: what they would have sent is done by the contract. */
export function bundled(from: Address, bundler: Address, transactions: readonly NodeTransaction[]): NodeTransaction {
  const calls = transactions.map(({ to, valueWei = 0n, data }) => ({ to: to ?? bundler, value: valueWei, data }))
  const valueWei = calls.reduce((sum, { value }) => sum + value, 0n)
  const data = encodeFunctionData({ abi, functionName: 'run', args: [calls] })
  return { from, to: bundler, valueWei, data, gas: 3_000_000n }
}
