import type { EpochMs } from '../../../schemas/units.ts'

/**
 * Remembers the x402 offers (payment terms) of the last five minutes. An offer can change while a client
 * signs, because a facilitator may name another fee payer for Solana in each answer. The client may pay for
 * the offer that it received.
 */
export type FormerOffers<Offer> = Readonly<{
  /** Remembers an offer that was shown to a client. */
  note: (priceUsdMicros: number, offer: Offer) => void
  /** Returns the remembered offers for a price, the latest first. */
  of: (priceUsdMicros: number) => readonly Offer[]
}>

/** How long an offer is remembered, in ms. A client takes less time to sign. */
const keptMs = 300_000
/**
 * The maximum number of remembered offers. In practice there are fewer. The offers of six prices can change
 * every 15 s, so at most 120 offers are made within `keptMs`.
 */
const keptMax = 256

type Shown<Offer> = Readonly<{ offer: Offer; priceUsdMicros: number; atMs: EpochMs }>

export function createFormerOffers<Offer extends Readonly<{ text: string }>>(
  nowMs: () => EpochMs,
): FormerOffers<Offer> {
  /** The offers by price and text, in the order in which they were last shown. */
  const shown = new Map<string, Shown<Offer>>()
  return {
    note: (priceUsdMicros, offer) => {
      const atMs = nowMs()
      const key = `${priceUsdMicros} ${offer.text}`
      shown.delete(key)
      shown.set(key, { offer, priceUsdMicros, atMs })
      for (const [oldest, { atMs: shownAtMs }] of shown) {
        if (shown.size <= keptMax && atMs - shownAtMs <= keptMs) return
        shown.delete(oldest)
      }
    },
    of: (priceUsdMicros) =>
      [...shown.values()]
        .filter((former) => former.priceUsdMicros === priceUsdMicros && nowMs() - former.atMs <= keptMs)
        .map(({ offer }) => offer)
        .reverse(),
  }
}
