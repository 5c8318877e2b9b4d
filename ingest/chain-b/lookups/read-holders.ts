import { base58OfHex, hexOfBase58 } from '../../../infra/base58.ts'
import { OperationError } from '../../../infra/errors.ts'
import { minuteMs } from '../../../schemas/units.ts'
import { readTokenAccount } from '../decode/token-account.ts'
import type { ChainBReader } from '../node/reader.ts'
import type { HolderReader } from './holders.ts'
import { ownAccountsOf } from './own-accounts.ts'

/**
 * The maximum age of a burst for which holders are requested. The details of a burst are those of its time, read within
 * a minute. For an older burst, the present holders would be a wrong answer.
 */
export const holdersAgeMsMax = minuteMs

/**
 * Reads the current holders of a mint from the node, without the curve and its pool. The first answer of the
 * node lists the largest accounts. The next answer has their owners and amounts, at a later slot. Accounts
 * that were closed between the two answers are missing.
 */
export const createRpcHolderReader =
  ({ largestTokenAccounts, accounts }: Pick<ChainBReader, 'largestTokenAccounts' | 'accounts'>): HolderReader =>
  async ({ mint, slot }, signal) => {
    const largest = await largestTokenAccounts(base58OfHex(mint), signal)
    const addresses = largest.map(({ account }) => account).filter((address) => hexOfBase58(address, 32) !== null)
    const read = await accounts(addresses, signal)
    const held = read.flatMap((account) => {
      if (account === null) return []
      if (account.slot < slot)
        throw new OperationError(
          'node_inconsistent',
          `the node has reached only slot ${account.slot}, not slot ${slot}`,
        )
      const token = readTokenAccount(account)
      return token?.mint === mint && token.tokenRaw > 0n ? [token] : []
    })
    if (held.length === 0)
      throw new OperationError('node_refused', 'the node knows no token accounts of this mint', { context: { slot } })
    const own = await ownAccountsOf(base58OfHex(mint))
    return held
      .filter(({ owner }) => !own.holdsForTraders(base58OfHex(owner)))
      .map(({ owner, tokenRaw }) => ({ owner, tokenRaw }))
      .sort((left, right) => (left.tokenRaw < right.tokenRaw ? 1 : left.tokenRaw > right.tokenRaw ? -1 : 0))
  }
