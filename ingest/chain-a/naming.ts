import type { ChainAAddress } from '../../schemas/chain-a/addresses.ts'
import type { TokenNaming } from '../mentions/naming.ts'

/**
 * The ways in which posts name tokens of chain A. Posts, the address book and the facts write addresses in
 * one form, so `toBook` and `toKey` change nothing. `network` is the name of the chain's preset, such as
 * `robinhood`.
 */
export const chainANaming = (network: string): TokenNaming<ChainAAddress> => ({
  forms: ['evm', 'pool-id'],
  networks: [network],
  marketOf({ type, data }) {
    switch (type) {
      case 'PoolAddress':
        return { market: data.pool, token: data.token }
      case 'CurveAddress':
        return { market: data.curve, token: data.token }
      default:
        return null
    }
  },
  toBook: (address) => address,
  toKey: (token) => token,
})
