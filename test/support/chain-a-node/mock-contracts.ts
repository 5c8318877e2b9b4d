/**
 * Reads the contracts that tests use in addition to those of Uniswap. They are compiled in advance, because a
 * compiler takes seconds to load.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Address, Hex } from 'viem'

export const contractSources = ['mock-pons.sol', 'bundler.sol', '../payments/contract-wallet.sol'] as const

export const readSource = (name: (typeof contractSources)[number]): string =>
  readFileSync(new URL(name, import.meta.url), 'utf8')

export const digestOf = (sources: readonly string[]): string =>
  createHash('sha256').update(sources.join('\n')).digest('hex')

type Compiled = Readonly<{ digest: string; codes: Readonly<Record<string, Hex>> }>

/** Returns the creation code of a contract, with addresses as constructor arguments. */
export function mockCreation(
  name: 'MockPonsFactory' | 'MockPonsImpostor' | 'Bundler' | 'ContractWalletFactory',
  args: readonly Address[] = [],
): Hex {
  const file = new URL('../../fixtures/mock-contracts.json', import.meta.url)
  const { digest, codes } = JSON.parse(readFileSync(file, 'utf8')) as Compiled
  assert.equal(digest, digestOf(contractSources.map(readSource)), 'a contract was changed and not compiled again')
  const words = args.map((address) => address.slice(2).toLowerCase().padStart(64, '0'))
  return `${codes[name] as Hex}${words.join('')}`
}
