import { base58OfHex, hexOfBase58 } from '../../infra/base58.ts'
import type { ChainBAddress } from '../../schemas/chain-b/addresses.ts'
import type { Address } from '../../schemas/units.ts'
import type { TokenNaming } from '../mentions/naming.ts'

/**
 * Defines how posts name tokens of chain B. The address book of the chain has addresses in hex. Posts and the
 * keys of facts have addresses in base58.
 */
export const chainBNaming: TokenNaming<ChainBAddress> = {
  forms: ['base58'],
  networks: ['solana'],
  marketOf({ type, data }) {
    switch (type) {
      case 'MintAddress':
        return { market: data.curve, token: data.mint }
      case 'GraduatedPoolAddress':
        return { market: data.pool, token: data.mint }
      default:
        return null
    }
  },
  toBook: (address) => hexOfBase58(address, 32) ?? address,
  toKey: (token) => base58OfHex(token as Address),
}
