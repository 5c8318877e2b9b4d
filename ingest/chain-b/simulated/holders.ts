/** Stores the wallets that hold bought tokens, by wallet number. A random holder can be drawn. */

import type { TokenRaw } from '../../../schemas/units.ts'
import type { Random } from '../../simulated/random.ts'
import { agentWallet } from './wallets.ts'

type Holder = { readonly wallet: number; tokenRaw: TokenRaw }

export type Holders = Readonly<{
  /** Changes the balance of a wallet. `tokenRaw` is negative for a sale. */
  add(wallet: number, tokenRaw: TokenRaw): void
  tokensOf(wallet: number): TokenRaw
  /**
   * Draws a random holder. Returns null if there are no holders. Also returns null if the draw hits the agent
   * of mayhem mode, whose trades are planned separately.
   */
  draw(random: Random): Readonly<Holder> | null
  /** Removes the wallet from the holders, so that it never sells the tokens that it has now. */
  keep(wallet: number): void
}>

export function createHolders(): Holders {
  const seats = new Map<number, number>()
  const holders: Holder[] = []

  /**
   * Removes a wallet from the list. The last holder moves to the free place, so that no other holder has to
   * move.
   */
  const leave = (wallet: number) => {
    const seat = seats.get(wallet)
    const last = holders.pop()
    if (seat === undefined || last === undefined) return
    seats.delete(wallet)
    if (last.wallet === wallet) return
    holders[seat] = last
    seats.set(last.wallet, seat)
  }

  const of = (wallet: number): Holder | undefined => holders[seats.get(wallet) ?? -1]

  return {
    add(wallet, tokenRaw) {
      const holder = of(wallet)
      if (holder) holder.tokenRaw += tokenRaw
      else if (tokenRaw > 0n) seats.set(wallet, holders.push({ wallet, tokenRaw }) - 1)
      if (of(wallet)?.tokenRaw === 0n) leave(wallet)
    },
    tokensOf: (wallet) => of(wallet)?.tokenRaw ?? 0n,
    draw(random) {
      const holder = holders[random.whole(0, holders.length - 1)]
      return holder === undefined || holder.wallet === agentWallet ? null : holder
    },
    keep: leave,
  }
}
