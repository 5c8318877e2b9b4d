import { accountsAnswer, largestAnswer, parsed } from './answers.ts'
import { inconsistent } from './failures.ts'
import type { ChainBReader, NodeAccount } from './reader.ts'
import type { Rpc } from './rpc.ts'

/** The maximum number of accounts that a node returns for one request. */
const accountsMax = 100

type AccountReader = Pick<ChainBReader, 'account' | 'accounts' | 'largestTokenAccounts'>

export function createAccountReader({ request }: Rpc): AccountReader {
  const atOnce = async (
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (NodeAccount | null)[]> => {
    const params = [addresses, { commitment: 'confirmed', encoding: 'base64' }]
    const answer = await request('getMultipleAccounts', params, signal)
    const { context, value } = parsed(accountsAnswer, answer, 'getMultipleAccounts')
    if (value.length !== addresses.length) throw inconsistent('the node left out an account')
    const toAccount = ({ data, owner }: NonNullable<(typeof value)[number]>): NodeAccount => ({
      slot: context.slot,
      owner,
      bytes: Buffer.from(data[0], 'base64'),
    })
    return value.map((account) => account && toAccount(account))
  }
  const accounts: ChainBReader['accounts'] = async (addresses, signal) => {
    const found: (NodeAccount | null)[] = []
    for (let at = 0; at < addresses.length; at += accountsMax)
      found.push(...(await atOnce(addresses.slice(at, at + accountsMax), signal)))
    return found
  }
  return {
    accounts,
    account: async (address, signal) => (await accounts([address], signal))[0] ?? null,
    async largestTokenAccounts(mint, signal) {
      const answer = await request('getTokenLargestAccounts', [mint, { commitment: 'confirmed' }], signal)
      const { value } = parsed(largestAnswer, answer, 'getTokenLargestAccounts')
      return value.map(({ address, amount }) => ({ account: address, tokenRaw: amount }))
    },
  }
}
